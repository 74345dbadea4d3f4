import { join } from "node:path";
import type { Context } from "../../../command-kit/context.ts";
import { saveFailed, UsageError, WaitedTooLong } from "../../../core/errors.ts";
import { lockedUntil } from "../../../core/tasks/lock.ts";
import { duration } from "../../../core/values/durations.ts";

type LockContext = Pick<Context, "files" | "say" | "sleep">;

/** The name of the lock, in the state folder. */
const lockFile = "rentals-create";

/**
 * In milliseconds. A process renews its lock while it runs. If it is suspended for this long, another process may take
 * over the lock.
 */
const staleMs = 10_000;

/** Milliseconds to wait for other processes. This is long, because each may wait until its request times out. */
const timeoutMs = 300_000;

/**
 * Runs `work` under a lock, so that no other process of this user creates rentals with a burn limit or with
 * `--if-absent` at the same time. `work` calls `assertHeld` right before each request that creates a rental, and must
 * not catch its error. If another process took over the lock, `work` starts again.
 */
export async function exclusively<Value>(
  { files, say, sleep }: LockContext,
  work: (assertHeld: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  let said = false;
  const wait = (milliseconds: number) => {
    if (!said) say("Waiting for another gpuctl process that is creating a rental.");
    said = true;
    return sleep(milliseconds);
  };
  const times = { processes: files.processes, stale: staleMs, timeout: timeoutMs };
  const path = join(files.state, lockFile);
  try {
    return await lockedUntil(path, work, { ...times, busy: isBusy, sleep: wait });
  } catch (error) {
    if (!isAbout(error, [path, files.state])) throw error;
    throw new UsageError(
      `--if-absent, --max-burn and budget.maxBurn need a lock in the state folder: ${saveFailed(path, error).message}`,
      {
        hint: "To use another state folder, set GPUCTL_STATE_DIR.",
      },
    );
  }
}

/** Whether an error comes from an operation on the lock or on its folder. */
const isAbout = (error: unknown, [lock, folder]: readonly [lock: string, folder: string]): boolean =>
  error instanceof Error &&
  "path" in error &&
  (String(error.path).startsWith(lock) || `${folder}/`.startsWith(`${error.path}/`));

const isBusy = (lockPath: string): WaitedTooLong =>
  new WaitedTooLong(
    `waited ${duration(timeoutMs)} for another gpuctl process that is creating a rental`,
    `Nothing was sent. If no other gpuctl is running, delete ${lockPath}.`,
    { request: null },
  );
