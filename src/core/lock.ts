import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { codeOf } from "./errors.ts";
import { makeFolderSync, writePrivateFile } from "./files.ts";

interface LockOptions {
  /** Milliseconds without a sign of life after which a lock is taken over; its holder was killed or suspended. */
  readonly stale: number;
  /** Milliseconds to wait for the lock. Longer than `stale`, so that the lock of a killed process is not waited for in vain. */
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
 * Does some work while this process holds the lock of a path, which is the folder `PATH.lock`. Takes over the lock of a
 * killed process.
 */
export async function locked<Value>(
  path: string,
  work: () => Promise<Value>,
  { stale, timeout, busy, sleep = setTimeout }: LockOptions,
): Promise<Value> {
  const { lock } = await import("proper-lockfile");
  // What a lock protects is either replaced atomically, or checked for another holder before it is changed.
  const acquire = () => lock(path, { realpath: false, stale, onCompromised: () => {} });
  let release: Awaited<ReturnType<typeof acquire>> | undefined;
  for (let waited = 0; release === undefined; ) {
    try {
      release = await acquire();
    } catch (error) {
      if (codeOf(error) !== "ELOCKED") throw error;
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

/** Another process took over the lock, because this one was suspended or did not get to run. */
export class LockLost extends Error {
  override readonly name = "LockLost";
}

/**
 * Like `locked`, for work that ends in a step that must not be taken twice. The work calls `assertHeld` right before that
 * step. If another process has the lock by then, this throws `LockLost`, which the work lets through; the work starts
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
