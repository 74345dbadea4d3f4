import { defineCommand } from "../../../command-kit/define.ts";
import { UsageError } from "../../../core/errors.ts";
import { attend } from "../../../jobs/attend.ts";
import { type Job, takeOver } from "../../../jobs/journal.ts";
import { jobHost } from "../run/host.ts";
import { adoptLease, assertHasRental, bindRental, detachLease, findRental } from "../run/rent.ts";
import { jobResult, jobView } from "../run/report.ts";
import { findJob, isOpen, jobArg, noJobs, ownJobs, placeOf } from "./find.ts";

export default defineCommand({
  path: "rentals jobs attach",
  summary: "Wait for a job as `rentals run` does, and end its rental",
  details:
    "Shows the output that has not arrived yet and waits until the command ends. Then copies the results back, ends the rental unless the job was started with --keep, and exits with the exit status of the command. After Ctrl-C, a detached job goes on. Any other job is stopped, and its rental is ended unless the job was started with --keep.",
  args: [jobArg],
  uses: ["attendance", "programs", "startMachines"],
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
  run: async ({ args, attendance, programs, startMachines, ...context }) => {
    const { files, settings } = context;
    const job = args.job === undefined ? ownJobs(context).findLast(isOpen) : findJob(args.job, context);
    if (job === undefined) return noJobs;
    if (settings.dryRun)
      return { data: await context.call("getRental", { rentalId: job.rentalId ?? job.id }) };
    if (job.phase === "ended") {
      throw new UsageError(`job ${job.id} has ended: ${job.outcome}`, {
        hint: `\`gpuctl rentals jobs logs ${job.id}\` shows its output.`,
      });
    }
    if (files.processes.isRunning(job.process) && job.process !== files.processes.self) {
      throw isAttended(job);
    }
    if (job.phase !== "running" && job.plan.variables.length > 0) {
      throw new UsageError(
        `job ${job.id} has not started its command, and the values of --env are not stored`,
        {
          hint: "To resume the job, repeat the command line that started it.",
        },
      );
    }
    const machines = await startMachines();
    const journal = await takeOver(files.state, job, files.processes);
    if (journal === undefined) throw isAttended(job);
    await assertHasRental(journal, context);
    const lease = placeOf(job, context);
    if (job.rentalId === undefined) {
      const record = await findRental(job.rentalLabel, context);
      if (record === undefined) {
        throw new UsageError(`no rental of job ${job.id} is listed`, {
          hint: `Its label is ${job.rentalLabel}. To resume the job, repeat the command line that started it.`,
        });
      }
      await bindRental(journal, record, { place: lease }, context);
    }
    return attendance.interruptible(async (stopped) => {
      if (lease) await adoptLease(lease, job);
      const host = jobHost({ ...context, attendance, programs }, { journal, machines, lease });
      const outcome = await attend(journal, host, { stopped, variables: {} });
      if (outcome.because === "detached" && lease) await detachLease(lease, job.id);
      return jobResult(journal, outcome, context);
    });
  },
});

const isAttended = ({ id }: Job): UsageError =>
  new UsageError(`another gpuctl process attends job ${id}`, {
    hint: `\`gpuctl rentals jobs logs --follow ${id}\` shows its output.`,
  });
