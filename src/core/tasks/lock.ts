import { readFile, rm, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { codeOf, LockLost } from "../errors.ts";
import { createPrivateFile, makeFolderSync, writePrivateFile } from "../files.ts";
import { asRecord, parseJson } from "../json.ts";

/** The processes of this machine. A name is never empty, because an empty text stands for no process. */
export interface Processes {
  /** The name of this process. No other process has this name, even on another machine that shares the files. */
  readonly self: string;
  /** Whether the process with this name is running. True if unknown, for example for a process on another machine. */
  readonly isRunning: (name: string) => boolean;
  /**
   * Whether `isRunning` knows the answer for this name. False for a process on another machine or in another
   * container.
   */
  readonly isHere: (name: string) => boolean;
}

/** The host in the name of a process, for messages. */
export const hostOf = (name: string): string => name.split(" ", 1)[0] ?? "";

/** The process ID in the name of a process. A user can look it up on the machine of the process. */
export const pidOf = (name: string): string => name.slice(name.lastIndexOf(" ") + 1).replace(/@.*/, "");

interface LockOptions {
  readonly processes: Processes;
  /**
   * A holder that has not refreshed its lock for this many milliseconds counts as suspended, and the lock is taken
   * over. The lock of a process that no longer runs is taken over immediately.
   */
  readonly stale: number;
  /**
   * Milliseconds to wait for the lock. With 0, there is no wait. Any other value must be larger than `stale`, so that
   * the wait outlasts a stale lock.
   */
  readonly timeout: number;
  /** The error for a lock that is not released in time. */
  readonly busy: (lockPath: string) => Error;
  /** Pauses between two attempts. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

/**
 * Milliseconds between two attempts. The pause is random, so that waiting processes do not all try at the same time.
 */
const minPause = 25;
const maxPause = 100;

/** A lock that this process has taken. */
export interface Lock {
  /**
   * Whether this process still holds the lock. After this process was suspended, another one may have taken the lock
   * over.
   */
  readonly isHeld: () => Promise<boolean>;
  /** Whether the lock was taken over from a process that may still run: that process was suspended. */
  readonly isTakenOver: boolean;
  /** Never throws. If another process holds the lock by now, leaves the lock to it. */
  readonly release: () => Promise<void>;
}

/**
 * Takes the lock of a path. The lock is the folder `PATH.lock`, and the file `PATH.lock-owner` names the process that
 * holds it. Takes over the lock of a killed or suspended process.
 */
export async function takeLock(
  path: string,
  { processes, stale, timeout, busy, sleep = setTimeout }: LockOptions,
): Promise<Lock> {
  const { lock, unlock } = await import("proper-lockfile");
  const lockOf = async (one: string): Promise<LockFolder> => {
    // The name is unique, because this process may have had an earlier lock of the same path, which was taken over.
    const name = `${one}.${crypto.randomUUID()}`;
    const options = { realpath: false, lockfilePath: `${one}.lock` };
    // A lock that is lost needs no handling here: what it protects is replaced atomically, changed only after a check
    // for another holder, or, like a chat session, changed within a few milliseconds.
    await lock(name, { ...options, stale, onCompromised: () => {} });
    return {
      remove: () => unlock(name, options),
      leave: () => unlock(name, { ...options, fs: withoutRmdir }),
    };
  };
  const acquire = async (): Promise<Lock> => {
    const lockFolder = await lockOf(path);
    const before = await lockOwner(path);
    const remove = async () => {
      await rm(ownerPath(path), { force: true });
      await lockFolder.remove();
    };
    let own: string;
    try {
      // The token distinguishes two locks of one process: on some file systems, `born` is always the same.
      const token = crypto.randomUUID();
      own = JSON.stringify({ name: processes.self, born: await bornAt(path), token });
      createPrivateFile(ownerPath(path), own);
    } catch (error) {
      await remove().catch(() => undefined);
      throw error;
    }
    const owner = () => readFile(ownerPath(path), "utf8").catch(() => undefined);
    return {
      isHeld: async () => (await owner()) === own,
      isTakenOver: before !== undefined && processes.isRunning(before),
      release: async () => {
        const isOthers = ![own, undefined].includes(await owner());
        await (isOthers ? lockFolder.leave() : remove()).catch(() => undefined);
      },
    };
  };
  for (let waited = 0; ; ) {
    try {
      return await acquire();
    } catch (error) {
      if (codeOf(error) !== "ELOCKED") throw error;
      if (await removeAbandoned(path, processes, lockOf)) continue;
      if (waited >= timeout) throw busy(`${path}.lock`);
      const pause = minPause + Math.random() * (maxPause - minPause);
      await sleep(pause);
      waited += pause;
    }
  }
}

/** The folder that is a lock. */
interface LockFolder {
  readonly remove: () => Promise<void>;
  /** Stops renewing the folder without removing it, because it is now the lock of another process. */
  readonly leave: () => Promise<void>;
}

/** Passed to `unlock`, so that `unlock` removes no folder. */
const withoutRmdir = { rmdir: (_: string, done: (error: null) => void) => done(null) };

/** Runs `work` while this process holds the lock of a path. */
export async function locked<Value>(
  path: string,
  work: () => Promise<Value>,
  options: LockOptions,
): Promise<Value> {
  const { release } = await takeLock(path, options);
  try {
    return await work();
  } finally {
    await release();
  }
}

const ownerPath = (path: string): string => `${path}.lock-owner`;

/** The name of the process that holds the lock of a path. Undefined if it is not known. */
export async function lockOwner(path: string): Promise<string | undefined> {
  const { name } = asRecord(parseJson(await readFile(ownerPath(path), "utf8").catch(() => "")));
  return typeof name === "string" ? name : undefined;
}

/** When the lock of a path was taken. Distinguishes this lock from an earlier one. */
const bornAt = async (path: string): Promise<number> => (await stat(`${path}.lock`)).birthtimeMs;

/** The content of the owner file, if the process that it names has ended without releasing the lock. */
async function abandoned(path: string, { isRunning }: Processes): Promise<string | undefined> {
  try {
    const text = await readFile(ownerPath(path), "utf8");
    const { name, born } = asRecord(parseJson(text));
    return typeof name === "string" && !isRunning(name) && born === (await bornAt(path)) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the lock if its process no longer runs. Returns whether the lock was removed. */
async function removeAbandoned(
  path: string,
  processes: Processes,
  lockOf: (path: string) => Promise<LockFolder>,
): Promise<boolean> {
  if ((await abandoned(path, processes)) === undefined) return false;
  // Only one waiting process may remove the lock. A second process could remove the lock that the first has taken in
  // the meantime.
  const own = await lockOf(ownerPath(path)).catch(() => undefined);
  if (own === undefined) return false;
  try {
    if ((await abandoned(path, processes)) === undefined) return false;
    await rm(ownerPath(path), { force: true });
    await rmdir(`${path}.lock`);
    return true;
  } catch {
    return false;
  } finally {
    await own.remove().catch(() => undefined);
  }
}

/**
 * Like `locked`, for work that ends with a step that must not happen twice. The work calls `assertHeld` right before
 * that step. If another process has taken the lock by then, `assertHeld` throws `LockLost`, which `work` must not
 * catch. The work then starts again as soon as this process holds the lock again. The file at the path identifies the
 * last holder.
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
