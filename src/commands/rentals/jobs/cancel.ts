import { defineCommand } from "../../../command-kit/define.ts";
import { idOf } from "../../../command-kit/responses.ts";
import { cancel } from "../../../jobs/attend.ts";
import { jobRecord, openJournal } from "../../../jobs/journal.ts";
import { jobHost } from "../run/host.ts";
import { findRental } from "../run/rent.ts";
import { jobView } from "../run/report.ts";
import { findJob, jobArg, jobExample, placeOf } from "./find.ts";

export default defineCommand({
  path: "rentals jobs cancel",
  summary: "Stop the command of a job, and end its rental",
  details:
    "Ends the rental also when the command cannot be stopped because the rental does not respond. Results are not copied back. A rental that --keep keeps is not ended.",
  effect: "destroy",
  alsoCalls: ["getRental", "listVirtualMachineRentals"],
  args: [jobArg],
  uses: ["attendance", "programs", "startMachines"],
  view: jobView,
  examples: [
    {
      text: "Cancel a job",
      command: "gpuctl rentals jobs cancel train --yes --sandbox",
      after: [jobExample],
    },
    {
      text: "Cancel a job and print it as JSON",
      command: "gpuctl rentals jobs cancel train --yes -o json --sandbox",
      after: [jobExample],
    },
  ],
  buildInput: ({ args, ...context }) => ({ job: findJob(args.job, context) }),
  confirm: {
    destruction: ({ input: { job } }) => {
      if (job.phase === "ended") return undefined;
      const rental = job.rentalId === undefined ? "its rental" : `rental ${job.rentalId}`;
      return job.plan.keep
        ? `Stop job ${job.id}? Rental ${job.rentalId} is kept.`
        : `Stop job ${job.id} and terminate ${rental}? All data on it is lost.`;
    },
  },
  run: async ({ input: { job }, attendance, programs, startMachines, ...context }) => {
    const { files, settings, say } = context;
    if (settings.dryRun)
      return { data: await context.call("getRental", { rentalId: job.rentalId ?? job.id }) };
    if (job.phase === "ended") {
      say(`Job ${job.id} has ended already.`);
      return { data: jobRecord(job, "ended") };
    }
    const machines = await startMachines();
    const rentalId = job.rentalId ?? idOf(await findRental(job.rentalLabel, context));
    const journal = openJournal(files.state, { ...job, ...(rentalId !== undefined && { rentalId }) });
    const host = jobHost(
      { ...context, attendance, programs },
      { journal, machines, lease: placeOf(job, context) },
    );
    await attendance.interruptible((stopped) => cancel(journal, host, stopped));
    return { data: jobRecord(journal.job(), "ended") };
  },
});
