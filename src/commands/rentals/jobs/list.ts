import { defineCommand } from "../../../command-kit/define.ts";
import { flag } from "../../../command-kit/flag.ts";
import { jobRecord, readJobs, stateOfJob } from "../../../jobs/journal.ts";
import { isOpen, jobList, ownJobs } from "./find.ts";

export default defineCommand({
  path: "rentals jobs list",
  summary: "List the jobs that were started on this machine",
  details:
    "The state is that of the last contact: creating, starting, running or ended while gpuctl attends the job; detached when the command runs on without it; unattended when gpuctl was killed, so that the rental is billed until the job is resumed, cancelled or ended by a guard.",
  flags: {
    all: flag.boolean("Also the jobs that have ended"),
  },
  view: jobList,
  examples: [
    { text: "List the jobs that have not ended", command: "gpuctl rentals jobs list --sandbox" },
    { text: "List all jobs as JSON", command: "gpuctl rentals jobs list --all -o json --sandbox" },
  ],
  run: ({ flags, ...context }) => {
    const { files, say } = context;
    const own = ownJobs(context);
    const shown = flags.all ? own : own.filter(isOpen);
    const elsewhere = readJobs(files.state).filter(isOpen).length - own.filter(isOpen).length;
    if (elsewhere > 0) say(`Jobs of other services that have not ended: ${elsewhere}. They are not shown.`);
    return { data: shown.map((job) => jobRecord(job, stateOfJob(job, files.processes.isRunning))) };
  },
});
