import { existsSync } from "node:fs";
import { defineCommand } from "../../../command-kit/define.ts";
import { flag } from "../../../command-kit/flag.ts";
import { Interrupted } from "../../../core/errors.ts";
import { showRemoteLog } from "../../../jobs/attend.ts";
import { jobFolder, jobRecord, logPath, stateOfJob, viewJournal } from "../../../jobs/journal.ts";
import { growing, isAttended, pollMs } from "../../../jobs/watch.ts";
import { jobHost } from "../run/host.ts";
import { jobView } from "../run/report.ts";
import { findJob, jobArg, lastJob, noJobs } from "./find.ts";

export default defineCommand({
  path: "rentals jobs logs",
  summary: "Show the output of a job",
  details:
    "Shows the command's output as stored on this machine, stdout and stderr together on stdout. If the job has not ended and no gpuctl process is attached to it, shows the output that is stored on the rental instead: the command's stdout on stdout, and its stderr on stderr. On a terminal, escape sequences are removed. With -o json, prints the job and the path of its log.",
  args: [jobArg],
  flags: {
    follow: flag.boolean("Show new output until the command ends; Ctrl-C leaves it running", { short: "f" }),
  },
  uses: ["attendance", "programs", "startMachines"],
  view: jobView,
  examples: [
    { text: "Show the output of the last job so far", command: "gpuctl rentals jobs logs --sandbox" },
    {
      text: "Follow the output of the last job until it ends",
      command: "gpuctl rentals jobs logs --follow --sandbox",
    },
  ],
  run: async ({ args, flags, attendance, programs, startMachines, ...context }) => {
    const { files, settings, sleep, say } = context;
    const job = args.job === undefined ? lastJob(() => true, context) : findJob(args.job, context);
    if (job === undefined) return noJobs;
    const log = logPath(jobFolder(files.state, job.id));
    if (settings.output !== "table") {
      return { data: { ...jobRecord(job, stateOfJob(job, files.processes.isRunning)), log } };
    }
    const isStored = job.phase === "ended" || isAttended(job, files.processes);
    if (!isStored && job.rentalId !== undefined && !settings.dryRun) {
      const machines = await startMachines();
      const journal = viewJournal(files.state, job);
      const host = jobHost({ ...context, attendance, programs }, { journal, machines, lease: undefined });
      return attendance.interruptible(async (stopped) => {
        await showRemoteLog(journal, host, { stopped, follows: flags.follow }).catch((error: unknown) => {
          if (!stopped.aborted && existsSync(log)) {
            context.setFailureContext(`Output that arrived earlier: ${log}`);
          }
          throw error;
        });
        const unwritten = attendance.outputFailure();
        if (unwritten) throw unwritten;
        if (stopped.aborted) throw new Interrupted();
        return { exitCode: 0 };
      });
    }
    const stored = storedLog(log, async () => {
      if (!flags.follow) return false;
      // Reads the job again: it may have ended, or another process may have taken it over.
      const { phase, process } = findJob(job.id, context);
      if (phase === "ended") return false;
      if (!files.processes.isRunning(process)) {
        say(
          `No gpuctl process is attached to job ${job.id} any more. \`gpuctl rentals jobs attach ${job.id}\` resumes it.`,
        );
        return false;
      }
      await sleep(pollMs);
      return true;
    });
    if (!files.stdoutIsTerminal) return { bytes: stored };
    // The log contains exactly what the command printed, which may include escape sequences.
    try {
      for await (const bytes of stored) await attendance.output("stdout", bytes);
    } finally {
      // Shows the last line even after Ctrl-C.
      await attendance.endOutput();
    }
    return { exitCode: 0 };
  },
});

/** Yields the bytes of a log that may still grow. Once `goesOn` returns false, reads the log one last time and ends. */
async function* storedLog(path: string, goesOn: () => Promise<boolean>): AsyncGenerator<Uint8Array> {
  const more = growing(path);
  for (let isLast = false; ; ) {
    yield* more();
    if (isLast) return;
    isLast = !(await goesOn());
  }
}
