import { journalPath } from "../../batch/journal.ts";
import type { Context } from "../../command-kit/context.ts";
import { InUse, isOfSystem, saveFailed } from "../../core/errors.ts";
import { hostOf, locked, lockOwner, pidOf } from "../../core/tasks/lock.ts";

/**
 * Milliseconds. A lock that has not been renewed for this long counts as abandoned: its process was suspended, or ended
 * on another machine.
 */
const stale = 30_000;

/**
 * Runs `work` while no other process works on the batch. Throws `InUse` if another process does. Waits first if that
 * process may have ended; once `stopped` is aborted, stops waiting and throws the reason of that signal. Throws
 * `SaveFailed` if the lock cannot be created.
 */
export async function withBatchLock<Value>(
  out: string,
  { files: { processes }, sleep }: Pick<Context, "files" | "sleep">,
  work: () => Promise<Value>,
  stopped?: AbortSignal,
): Promise<Value> {
  const path = journalPath(out);
  const owner = await lockOwner(path);
  const isHere = owner !== undefined && processes.isHere(owner);
  let isTaken = false;
  const workLocked = () => {
    isTaken = true;
    return work();
  };
  return locked(path, workLocked, {
    processes,
    stale,
    sleep: (milliseconds) => sleep(milliseconds, stopped),
    // Does not wait for a process that certainly runs, because it may hold the lock for hours. Any other process may
    // have ended, so this waits until the lock of such a process would count as abandoned.
    timeout: isHere && processes.isRunning(owner) ? 0 : stale * 2,
    busy: () => {
      const by = owner === undefined ? "another process" : `process ${pidOf(owner)}`;
      const where = owner === undefined || isHere ? "" : ` on ${hostOf(owner)}`;
      return new InUse(
        `the batch ${out} is in use by ${by}${where}`,
        "Wait until that process has ended, or stop it.",
      );
    },
  }).catch((error: unknown) => {
    throw !isTaken && isOfSystem(error) ? saveFailed(`${path}.lock`, error) : error;
  });
}
