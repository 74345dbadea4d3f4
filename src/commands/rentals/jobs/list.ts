import { defineCommand } from "../../../command-kit/define.ts";
import { flag } from "../../../command-kit/flag.ts";
import type { NextStep } from "../../../core/result.ts";
import { jobPhases, jobRecord, readJobs, stateOfJob, unreadableError } from "../../../jobs/journal.ts";
import { isOpen, jobList, noOpenJobs, ownJobs } from "./find.ts";

const attached = jobPhases.slice(0, -1);

export default defineCommand({
  path: "rentals jobs list",
  summary: "List the jobs that were started on this machine",
  details: `While a gpuctl process is attached to a job, the state of the job is ${attached.slice(0, -1).join(", ")} or ${attached.at(-1)}. Otherwise, the state is detached if --detach left the command running, unattended if gpuctl was killed or failed before the job ended, and ended if nothing is left to do. The rental of an unattended job may still be billed. To end the rental, resume or cancel the job, or run \`gpuctl rentals guard\`; if the job was started with --keep, terminate the rental. If a job cannot be read, shows the others and exits with code 2.`,
  flags: {
    all: flag.boolean("Also list the jobs that have ended"),
  },
  view: jobList,
  examples: [
    { text: "List the jobs that have not ended", command: "gpuctl rentals jobs list --sandbox" },
    { text: "List all jobs as JSON", command: "gpuctl rentals jobs list --all -o json --sandbox" },
  ],
  run: ({ flags, ...context }) => {
    const { files, say } = context;
    const { jobs, unreadable } = ownJobs(context);
    const open = jobs.filter(isOpen);
    const elsewhere = readJobs(files.state).jobs.filter(isOpen).length - open.length;
    if (elsewhere > 0) say(`Jobs of other services that have not ended: ${elsewhere}. They are not shown.`);
    const shown = flags.all ? jobs : open;
    const failure = unreadable.length > 0 ? unreadableError(unreadable) : undefined;
    if (failure && shown.length === 0) throw failure;
    if (shown.length === 0 && !flags.all) return noOpenJobs;
    const data = shown.map((job) => jobRecord(job, stateOfJob(job, files.processes.isRunning)));
    return { data, nextSteps: nextSteps(data), failure };
  },
});

/** What the user can do about the last unattended job: its rental is billed. */
function nextSteps(jobs: readonly ReturnType<typeof jobRecord>[]): readonly NextStep[] {
  const id = jobs.findLast(({ state }) => state === "unattended")?.id;
  if (typeof id !== "string") return [];
  return [
    { command: "rentals jobs attach", args: [id], text: "resume it" },
    { command: "rentals jobs cancel", args: [id], text: "end it" },
  ];
}
