import { arg } from "../../../command-kit/arg.ts";
import { defineCommand } from "../../../command-kit/define.ts";
import { flag } from "../../../command-kit/flag.ts";
import {
  type FailedItem,
  hintOf,
  Interrupted,
  SaveFailed,
  SomeFailed,
  UsageError,
} from "../../../core/errors.ts";
import { idOf } from "../../../core/responses/rental.ts";
import { hostOf, type Processes, pidOf } from "../../../core/tasks/lock.ts";
import { commandLine } from "../../../core/text.ts";
import { cancel } from "../../../jobs/attend.ts";
import { type Job, jobRecord, sharedJournal, unreadableError } from "../../../jobs/journal.ts";
import { claimJob, leaveJob } from "../../../jobs/watch.ts";
import { jobHost } from "../run/host.ts";
import { assertHasRental, findRental } from "../run/rent.ts";
import { findJob, isOpen, jobList, ownJobs, placeOf } from "./find.ts";

export default defineCommand({
  path: "rentals jobs cancel",
  summary: "Stop the commands of jobs, and end their rentals",
  details:
    "Ends the rental even if the command cannot be stopped because the rental does not respond. Results are not copied back. The rental of a job that was started with --keep is not ended. If one job cannot be canceled, the others are canceled anyway.",
  effect: "destroy",
  args: [
    arg.texts("JOB", "ID of a job, or the label that it was given", {
      required: true,
      replacedByFlag: "all",
    }),
  ],
  flags: { all: flag.boolean("All jobs that have not ended") },
  uses: ["attendance", "programs", "startMachines"],
  view: jobList,
  examples: [
    { text: "Cancel all jobs", command: "gpuctl rentals jobs cancel --all --yes --sandbox" },
    {
      text: "Cancel all jobs and print them as JSON",
      command: "gpuctl rentals jobs cancel --all --yes -o json --sandbox",
    },
  ],
  buildInput: ({ args, flags, ...context }) => {
    const words = [...new Set(args.job)];
    if (flags.all && words.length > 0) throw new UsageError("JOB cannot be used together with --all");
    if (!flags.all && words.length === 0) throw new UsageError("missing required input: JOB");
    if (!flags.all) return { jobs: words.map((word) => findJob(word, context)), unreadable: [] };
    const { jobs, unreadable } = ownJobs(context);
    return { jobs: jobs.filter(isOpen), unreadable };
  },
  confirm: {
    destruction: ({ input: { jobs } }) => {
      const open = jobs.filter(isOpen);
      if (open.length === 0) return undefined;
      const ending = open
        .filter(({ plan }) => !plan.keep)
        .map(({ rentalId, rentalLabel }) => rentalId ?? JSON.stringify(rentalLabel));
      const stop = `Stop ${open.length === 1 ? "job" : `${open.length} jobs:`} ${open.map(({ id }) => id).join(", ")}`;
      if (ending.length === 0)
        return `${stop}? ${open.length === 1 ? "Its rental is" : "Their rentals are"} kept.`;
      const rentals = `${ending.length === 1 ? "rental" : "rentals"} ${ending.join(", ")}`;
      return `${stop}, and terminate ${rentals}? All data on ${ending.length === 1 ? "it" : "them"} is lost.`;
    },
  },
  run: async ({ input: { jobs, unreadable }, attendance, programs, startMachines, ...context }) => {
    const { files, settings, call, interrupted } = context;
    const open = jobs.filter(isOpen);
    if (settings.dryRun) {
      const shown = open.map(({ rentalId, id }) => call("getRental", { rentalId: rentalId ?? id }));
      await Promise.allSettled(shown);
      await Promise.all(shown);
    }
    const machines = open.some(({ phase }) => phase === "running") ? await startMachines() : undefined;
    const failures: FailedItem[] = unreadable.map((one) => ({ name: one.id, error: unreadableError([one]) }));
    const count = open.length + unreadable.length;
    const done = jobs.filter((job) => !isOpen(job));
    let isStopped = false;
    for (const { id } of open) {
      try {
        if (isStopped || interrupted.aborted) throw new Interrupted("not tried, because of the interruption");
        // Reads the job again, because it may have changed before the user confirmed.
        const claimed = await claimJob(id, files).catch((error: unknown) => {
          // The rental must end even if the disk is full or read-only. Ending it twice does no harm.
          if (!(error instanceof SaveFailed) || findJob(id, context).rentalId === undefined) throw error;
          return undefined;
        });
        const job = claimed?.job() ?? findJob(id, context);
        if (!isOpen(job)) {
          done.push(job);
          continue;
        }
        const rentalId = job.rentalId ?? idOf(await findRental(job.rentalLabel, context));
        if (rentalId === undefined && claimed === undefined) throw mayRent(job, files.processes);
        const journal = sharedJournal(files.state, { ...job, ...(rentalId !== undefined && { rentalId }) });
        await assertHasRental(journal, context);
        const lease = placeOf(job, context);
        const host = jobHost({ ...context, attendance, programs }, { journal, machines, lease });
        // The first Ctrl-C ends only the wait for the command: the rental of this job must still end.
        await attendance.interruptible((stopped) =>
          cancel(journal, host, stopped).finally(() => {
            isStopped = stopped.aborted;
          }),
        );
        if (rentalId !== undefined) context.say(canceledText(journal.job()));
        done.push(journal.job());
      } catch (error) {
        if (count === 1) throw error;
        failures.push({ name: id, error });
        // The failure context is about this job only. The list of failures describes every job that failed.
        context.setFailureContext(undefined);
      } finally {
        await leaveJob(id, files);
      }
    }
    const problem = `${failures.length} of ${count} jobs could not be canceled`;
    const hint = [...new Set(failures.map(({ error }) => hintOf(error)))].filter(Boolean).join(" ");
    const failure =
      failures.length > 0 ? new SomeFailed(problem, { failures, succeeded: done.length, hint }) : undefined;
    if (failure && done.length === 0) throw failure;
    return { data: done.map((job) => jobRecord(job, job.phase)), failure };
  },
});

const canceledText = ({ id, rentalId = "", plan }: Job): string =>
  plan.keep
    ? `Job ${id} was stopped. Rental ${rentalId} was kept and is still billed; \`${commandLine("rentals terminate", [rentalId])}\` ends it.`
    : `Job ${id} was stopped, and rental ${rentalId} has ended.`;

/**
 * The error if another process is attached: that process may be about to rent, and would not notice the cancellation.
 */
const mayRent = ({ id, process }: Job, { isHere }: Processes): UsageError =>
  new UsageError(`another gpuctl process may be about to rent for job ${id}`, {
    hint: `Press Ctrl-C in that process, or cancel the job again once \`gpuctl rentals list\` shows its rental.${isHere(process) ? "" : ` If that process, ${pidOf(process)} on ${hostOf(process)}, no longer runs, use \`gpuctl rentals jobs attach ${id} --take-over\` first.`}`,
  });
