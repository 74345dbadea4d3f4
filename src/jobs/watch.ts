import { createReadStream, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, saveFailed, WaitedTooLong } from "../core/errors.ts";
import { locked, type Processes } from "../core/tasks/lock.ts";
import { quoted } from "../core/text.ts";
import type { JobHost } from "./host.ts";
import {
  canceledOutcome,
  isUnreadable,
  type Job,
  type Journal,
  jobFolder,
  openJournal,
  readJob,
  storedJob,
  streamPath,
} from "./journal.ts";

/** The state folder, which has the journals of the jobs, and the gpuctl processes that may be attached to jobs. */
interface Place {
  readonly state: string;
  readonly processes: Processes;
}

/** Whether another process is attached to a job. */
export const isAttended = ({ phase, process }: Job, { isRunning, self }: Processes): boolean =>
  phase !== "ended" && process !== self && isRunning(process);

/**
 * Whether another process cancels a job, or has canceled it. Reads the job again. If the job cannot be read, returns
 * false instead of throwing, because the rental of the job must end in any case.
 */
export function isCanceled(id: string, { state, processes }: Place): boolean {
  const stored = storedJob(state, id);
  if (stored === undefined || isUnreadable(stored)) return false;
  const { phase, outcome, canceledBy = processes.self } = stored;
  if (phase === "ended") return outcome === canceledOutcome;
  const isOther = canceledBy !== processes.self;
  // A process that cannot be checked may have been killed, and another process may have resumed the job since.
  return isOther && processes.isHere(canceledBy) && processes.isRunning(canceledBy);
}

/** In milliseconds. The lock is held only while the job is read and written. */
const lockTimes = { stale: 10_000, timeout: 30_000 };

/**
 * Attaches this process to a job: only the attached process stores the output and copies the results back. Returns
 * undefined if there is no such job, if it has ended, or if another process is attached. Of several processes that try
 * at the same time, only one gets the job. `gone` is the name of a process that, according to the user, no longer runs.
 * Throws `WaitedTooLong` if another process keeps the job locked, `Unavailable` if the job cannot be read, and
 * `SaveFailed`, for example if the disk is full.
 */
export function claimJob(id: string, place: Place, gone?: string): Promise<Journal | undefined> {
  const { state, processes } = place;
  return exclusively(id, place, () => {
    const job = readJob(state, id);
    const isTaken = (one: Job) => one.process !== gone && isAttended(one, processes);
    return job === undefined || job.phase === "ended" || isTaken(job)
      ? undefined
      : openJournal(state, { ...job, process: processes.self });
  });
}

/**
 * Stores that this process is no longer attached to a job. Otherwise, gpuctl on another machine could not tell whether
 * this process has ended. Does nothing if the job has ended, or if the change cannot be stored.
 */
export async function leaveJob(id: string, place: Place): Promise<void> {
  const { state, processes } = place;
  await exclusively(id, place, () => {
    const job = readJob(state, id);
    if (job?.process === processes.self && job.phase !== "ended") openJournal(state, { ...job, process: "" });
  }).catch(() => {});
}

function exclusively<Value>(id: string, { state, processes }: Place, work: () => Value): Promise<Value> {
  const busy = (lock: string) =>
    new WaitedTooLong(
      `another gpuctl process uses job ${id}`,
      `If no gpuctl process uses it, delete the folder ${quoted(lock)}.`,
      { request: null },
    );
  const path = join(jobFolder(state, id), "attend");
  return locked(path, async () => work(), { processes, ...lockTimes, busy }).catch((error: unknown) => {
    // Errors of the file system come from the lock.
    throw codeOf(error) === "" ? error : saveFailed(path, error);
  });
}

/** Milliseconds between two reads of a file that another process writes. */
export const pollMs = 500;

/**
 * Returns a function that yields the bytes that were added to a file since the previous call of the function. The first
 * call yields the whole file. If the file has become shorter or was replaced, for example by a log rotation, the
 * function begins again at the start of the file. `look` returns the facts about the file; tests replace it to simulate
 * other file systems.
 */
export function growing(
  path: string,
  look: (path: string) => Promise<Stats> = stat,
): () => AsyncGenerator<Uint8Array> {
  let at = 0;
  let before: Stats | undefined;
  return async function* () {
    const found = await look(path).catch(() => undefined);
    if (!found) return;
    // Some file systems report another inode number each time, and others do not know the time of creation. So a file
    // counts as replaced only if both values differ.
    const isOther = found.ino !== before?.ino && found.birthtimeMs !== before?.birthtimeMs;
    if (isOther || found.size < at) at = 0;
    before = found;
    if (found.size === at) return;
    const range = { start: at, end: found.size - 1 };
    for await (const chunk of createReadStream(path, range)) yield chunk as Uint8Array;
    at = found.size;
  };
}

/**
 * Returns a function that shows the output of a job to which another process is attached. Once the job has ended or no
 * other process is attached, the function returns the stored job.
 */
export function watcher(id: string, { state, processes }: Place, host: Pick<JobHost, "output" | "sleep">) {
  const folder = jobFolder(state, id);
  const streams = (["stdout", "stderr"] as const).map((stream) => ({
    stream,
    more: growing(streamPath(folder, stream)),
  }));
  return async (stopped: AbortSignal): Promise<Job | undefined> => {
    for (;;) {
      stopped.throwIfAborted();
      // Reads the job before its output: if the job has ended, all of its output is already stored.
      const job = readJob(state, id);
      for (const { stream, more } of streams) {
        for await (const bytes of more()) await host.output(stream, bytes);
      }
      if (job === undefined || !isAttended(job, processes)) return job;
      await host.sleep(pollMs, stopped);
    }
  };
}
