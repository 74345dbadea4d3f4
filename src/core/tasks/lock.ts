import { readFile, rm, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import { makeFolderSync, writePrivateFile } from "../files.ts";
import { asRecord, parseJson } from "../json.ts";

/** The processes of this machine. */
export interface Processes {
  /** A name for this process. No other one has it, on any machine that may share the files. */
  readonly self: string;
  /** Whether the process with this name runs; true if that is unknown, as for one on another machine. */
  readonly isRunning: (name: string) => boolean;
}

interface LockOptions {
  readonly processes: Processes;
  /**
   * Milliseconds without a sign of life after which a lock is taken over; its holder was suspended. The lock of a process
   * that no longer runs is taken over at once.
   */
  readonly stale: number;
  /** Milliseconds to wait for the lock. Longer than `stale`, so that a wait outlasts a stale lock. */
  readonly timeout: number;
  /** The error for a lock that is not released in time. */
  readonly busy: (lockPath: string) => Error;
  /** Pauses between two attempts. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

/** Milliseconds between two attempts, random so that waiting processes do not act in step. */
const minPause = 25;
const maxPause = 100;

/**
 * Does some work while this process holds the lock of a path, which is the folder `PATH.lock`; the file `PATH.lock-owner`
 * names the process. Takes over the lock of a killed process.
 */
export async function locked<Value>(
  path: string,
  work: () => Promise<Value>,
  { processes, stale, timeout, busy, sleep = setTimeout }: LockOptions,
): Promise<Value> {
  const { lock } = await import("proper-lockfile");
  // What a lock protects is either replaced atomically, or checked for another holder before it is changed.
  const lockOf = (one: string) => lock(one, { realpath: false, stale, onCompromised: () => {} });
  const acquire = async () => {
    const unlock = await lockOf(path);
    writePrivateFile(ownerPath(path), JSON.stringify({ name: processes.self, born: await bornAt(path) }));
    return async () => {
      await rm(ownerPath(path), { force: true });
      await unlock();
    };
  };
  let release: Awaited<ReturnType<typeof acquire>> | undefined;
  for (let waited = 0; release === undefined; ) {
    try {
      release = await acquire();
    } catch (error) {
      if (codeOf(error) !== "ELOCKED") throw error;
      if (await removeAbandoned(path, processes, lockOf)) continue;
      if (waited >= timeout) throw busy(`${path}.lock`);
      const pause = minPause + Math.random() * (maxPause - minPause);
      await sleep(pause);
      waited += pause;
    }
  }
  try {
    return await work();
  } finally {
    await release().catch(() => undefined);
  }
}

const ownerPath = (path: string): string => `${path}.lock-owner`;

/** The process that holds the lock of a path, as far as it is known. */
export async function lockOwner(path: string): Promise<string | undefined> {
  const { name } = asRecord(parseJson(await readFile(ownerPath(path), "utf8").catch(() => "")));
  return typeof name === "string" ? name : undefined;
}

/** When the lock of a path was taken. Distinguishes this lock from an earlier one. */
const bornAt = async (path: string): Promise<number> => (await stat(`${path}.lock`)).birthtimeMs;

/** The content of the owner file, if its process no longer runs and its lock is still there. */
async function abandoned(path: string, { isRunning }: Processes): Promise<string | undefined> {
  try {
    const text = await readFile(ownerPath(path), "utf8");
    const { name, born } = asRecord(parseJson(text));
    return typeof name === "string" && !isRunning(name) && born === (await bornAt(path)) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the lock of a process that no longer runs, and returns whether there was one. */
async function removeAbandoned(
  path: string,
  processes: Processes,
  lockOf: (path: string) => Promise<() => Promise<void>>,
): Promise<boolean> {
  if ((await abandoned(path, processes)) === undefined) return false;
  // Only one waiting process may remove it: a second could remove the lock that the first has taken meanwhile.
  const release = await lockOf(ownerPath(path)).catch(() => undefined);
  if (release === undefined) return false;
  try {
    if ((await abandoned(path, processes)) === undefined) return false;
    await rm(ownerPath(path), { force: true });
    await rmdir(`${path}.lock`);
    return true;
  } catch {
    return false;
  } finally {
    await release().catch(() => undefined);
  }
}

/** Another process took over the lock, because this one was suspended or did not get to run. */
export class LockLost extends Error {
  override readonly name = "LockLost";
}

/**
 * Like `locked`, for work that ends in a step that must not be taken twice. The work calls `assertHeld` right before that
 * step. If another process has the lock by then, this throws `LockLost`, which `work` must not catch; the work starts
 * again once it has the lock. The file at the path names the last holder.
 */
export async function lockedUntil<Value>(
  path: string,
  work: (assertHeld: () => Promise<void>) => Promise<Value>,
  options: LockOptions,
): Promise<Value> {
  const token = crypto.randomUUID();
  const assertHeld = async () => {
    if ((await readFile(path, "utf8")) !== token) throw new LockLost();
  };
  const hold = async () => {
    writePrivateFile(path, token);
    return work(assertHeld);
  };
  makeFolderSync(dirname(path), 0o700);
  for (;;) {
    try {
      return await locked(path, hold, options);
    } catch (error) {
      if (!(error instanceof LockLost)) throw error;
    }
  }
}
