import { arg } from "../../../command-kit/arg.ts";
import type { Ports } from "../../../command-kit/context.ts";
import { defineCommand } from "../../../command-kit/define.ts";
import { flag } from "../../../command-kit/flag.ts";
import { Interrupted, SaveFailed, UsageError } from "../../../core/errors.ts";
import type { Result } from "../../../core/result.ts";
import { hostOf, pidOf } from "../../../core/tasks/lock.ts";
import { commandLine } from "../../../core/text.ts";
import { attend, storedOutcome } from "../../../jobs/attend.ts";
import { isUnderWay, type Job, type Journal, viewJournal } from "../../../jobs/journal.ts";
import { claimJob, isAttended, leaveJob, watcher } from "../../../jobs/watch.ts";
import { type HostContext, jobHost } from "../run/host.ts";
import { assertPrograms } from "../run/options.ts";
import { adoptLease, assertHasRental, bindRental, detachLease, findRental } from "../run/rent.ts";
import { jobResult, jobView, leftResult, usualLease } from "../run/report.ts";
import { findJob, isOpen, lastJob, noOpenJobs, placeOf } from "./find.ts";

export default defineCommand({
  path: "rentals jobs attach",
  summary: "Wait for a job as `rentals run` does, and end its rental",
  details:
    "Shows the output that this machine has not received yet, and waits until the command ends. Then copies the results back, ends the rental unless the job was started with --keep, and exits with the exit status of the command. If another gpuctl process is attached to the job, shows the job's output, and takes over if that process ends before the job. While that process is attached, Ctrl-C does not affect the job. Otherwise, after Ctrl-C, a job that was started with --detach continues if its command has started. Any other job is stopped, and its rental ends unless the job was started with --keep.",
  args: [
    arg.text(
      "JOB",
      "ID of the job, or the label that it was given; by default, the last job that has not ended",
    ),
  ],
  flags: {
    takeOver: flag.boolean(
      "Attach even if a gpuctl process on another machine, or in another container, may still be attached",
    ),
  },
  uses: ["attendance", "preload", "programs", "startMachines"],
  view: jobView,
  examples: [
    {
      text: "Wait for the last job that has not ended, and copy its results back",
      command: "gpuctl rentals jobs attach --sandbox",
    },
    {
      text: "Wait for the job, and print its result as JSON",
      command: "gpuctl rentals jobs attach -o json --sandbox",
    },
  ],
  run: async ({ args, flags, attendance, preload, programs, startMachines, ...context }) => {
    const { settings } = context;
    const found = args.job === undefined ? lastJob(isOpen, context) : findJob(args.job, context);
    if (found === undefined) return noOpenJobs;
    if (settings.dryRun)
      return { data: await context.call("getRental", { rentalId: found.rentalId ?? found.id }) };
    if (found.phase === "ended") {
      throw new UsageError(`job ${found.id} has ended: ${found.outcome}`, {
        hint: `\`gpuctl rentals jobs logs ${found.id}\` shows its output.`,
      });
    }
    await preload("program");
    const hostContext = { ...context, attendance, programs };
    const journal = await claimed(found.id, flags.takeOver, hostContext).catch((error: unknown) => {
      if (error instanceof SaveFailed) context.setFailureContext(notAttached(found));
      throw error;
    });
    return attendClaimed(journal, { ...hostContext, startMachines }).finally(() =>
      leaveJob(found.id, context.files),
    );
  },
});

const notAttached = ({ id, rentalId }: Job): string =>
  `${rentalId === undefined ? "A rental" : `Rental ${rentalId}`} of job ${id} may be billed. \`${commandLine("rentals jobs cancel", [id])}\` ends it.`;

/** Does the remaining steps of a job to which this process is attached. If the job has ended, returns its result. */
async function attendClaimed(
  journal: Journal,
  context: HostContext & Pick<Ports, "startMachines">,
): Promise<Result> {
  const { attendance, startMachines } = context;
  const job = journal.job();
  if (job.phase === "ended") return jobResult(journal, storedOutcome(job), context);
  const hasStarted = isUnderWay(job) || job.phase === "ending";
  if (!hasStarted && job.plan.variables.length > 0) {
    // If a process was killed while it started the command, it is not known whether the command was started.
    const problem = job.phase === "running" ? "may not have" : "has not";
    throw new UsageError(
      `job ${job.id} ${problem} started its command, and the values of --env are not stored`,
      {
        hint: "To resume the job, repeat the command line that started it.",
      },
    );
  }
  // Ctrl-C during these lookups has the same effect as later, because `attend` also gets the signal `stopped`.
  return attendance.interruptible(async (stopped) => {
    context.setFailureContext(notAttached(job), { evenIfUnread: true });
    const machines = await startMachines();
    await assertHasRental(journal, context);
    const lease = placeOf(job, context);
    if (job.rentalId === undefined) {
      const record = await findRental(job.rentalLabel, context);
      if (record === undefined) {
        throw new UsageError(`no active rental has the label of job ${job.id}`, {
          hint: `The rental's label is ${job.rentalLabel}. To resume the job, repeat the command line that started it.`,
        });
      }
      await bindRental(journal, record, { place: lease }, context);
    }
    context.setFailureContext(notAttached(journal.job()), { evenIfUnread: true });
    if (lease) await adoptLease(lease, job);
    // In the phase `ending`, the results have been copied, so the machine is not reached again.
    if (job.phase !== "ending") await assertPrograms(context, job.plan);
    const attendNow = () =>
      attend(journal, jobHost(context, { journal, machines, lease }), { stopped, variables: {} });
    let outcome = await attendNow();
    if (outcome.because === "detached") {
      // This process has started the command, so the lease must no longer end when this process ends.
      const failure =
        lease && (await detachLease(lease, journal.job(), { length: usualLease, files: context.files }));
      if (failure) context.say(`Warning: ${failure.message}. ${failure.hint}`);
      outcome = await attendNow();
    }
    return leftResult(journal, outcome, { lease: hasStarted ? undefined : lease }, context);
  });
}

/**
 * Attaches this process to a job. While another process is attached, shows the output that the other process stores.
 * Returns the job once this process is attached, or once the job has ended. With `takeOver`, assumes that a process has
 * ended if it cannot be checked from here.
 */
function claimed(id: string, takeOver: boolean, context: HostContext): Promise<Journal> {
  const { attendance, files, say, setFailureContext } = context;
  const journal = viewJournal(files.state, findJob(id, context));
  const watch = watcher(id, files, jobHost(context, { journal, machines: undefined, lease: undefined }));
  /** The process that may be attached to the job now, but only if it cannot be checked from here whether it runs. */
  const unchecked = (): string | undefined => {
    const job = findJob(id, context);
    return isAttended(job, files.processes) && !files.processes.isHere(job.process) ? job.process : undefined;
  };
  return attendance.interruptible(async (stopped) => {
    for (let hasWatched = false; ; hasWatched = true) {
      const own = await claimJob(id, files, takeOver ? unchecked() : undefined);
      if (own) {
        if (hasWatched) say(`The other gpuctl process has ended. Attached to job ${id}.`);
        return own;
      }
      if (isOpen(findJob(id, context))) {
        say(
          `Another gpuctl process ${hasWatched ? "has attached" : "is attached"} to job ${id}. Showing its output.`,
        );
      }
      const process = unchecked();
      if (process !== undefined) {
        say(
          `That is process ${pidOf(process)} on ${hostOf(process)}, which cannot be checked from here. If the process no longer runs, press Ctrl-C and use --take-over.`,
        );
      }
      const watched = await watch(stopped).catch((error: unknown) => {
        if (!stopped.aborted) throw error;
        setFailureContext(`Job ${id} continues. Another gpuctl process is attached to it.`);
        throw new Interrupted();
      });
      await attendance.endOutput();
      const job = watched ?? findJob(id, context);
      if (!isOpen(job)) return viewJournal(files.state, job);
    }
  });
}
