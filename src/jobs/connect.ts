import { RentalFailed, RentalUnreachable, reasonOf, WaitedTooLong } from "../core/errors.ts";
import { stopwatch } from "../core/tasks/steady-clock.ts";
import { duration, limitAfter } from "../core/values/durations.ts";
import { type JobHost, missing, type RentalNow } from "./host.ts";
import type { Journal } from "./journal.ts";
import { ConnectionLost, openSsh, type Ssh } from "./ssh.ts";

/** Milliseconds between two attempts. */
const retryPause = 3_000;

/** How long logins may fail, in milliseconds. A new machine gets its keys while it boots. */
const maxDenials = 120_000;

/** How long the service may fail to find a rental before the job gives up, in milliseconds. */
const maxMissing = 120_000;

/** The shortest timeout of a lookup, in milliseconds. It applies even if no time is left. */
const minLookUp = 10_000;

/** The longest timeout of a lookup, in milliseconds. If a lookup takes longer, this computer slept. */
const maxLookUp = 60_000;

/** How long to try to reach a rental that was reached before, in milliseconds. */
export const maxSilence = 600_000;

const loginHint =
  "Use an SSH key that the rental accepts and that needs no passphrase prompt. `gpuctl ssh-keys list` shows the keys of the account; --ssh-public-key-ids selects the keys that a new rental accepts.";

interface Reaching {
  readonly signal: AbortSignal;
  /** How long to try to reach the rental, in milliseconds. With 0, tries only once. */
  readonly timeout: number;
  /** Called before each further attempt. */
  readonly onRetry?: (problem: string) => void;
}

/** The longest time that an attempt to connect takes, in milliseconds. Work that takes longer had a connection. */
const longestAttempt = 120_000;

/** Milliseconds by which a timer may be late. If it is later, this computer slept. */
const tolerance = 10_000;

/**
 * Runs `work` on a rental: waits until the rental can be reached, and runs the work again after a lost connection. As
 * long as lookups of the rental fail, uses its last known address.
 *
 * Throws `RentalFailed` if the rental has failed, has ended, stays missing or no longer has the job's label. Throws
 * `RentalUnreachable` if the rental keeps refusing the login, or if waiting does not help, for example because the host
 * key has changed. Throws `WaitedTooLong` after the timeout.
 */
export async function onRental<Value>(
  journal: Journal,
  host: JobHost,
  { signal, timeout, onRetry = () => {} }: Reaching,
  work: (ssh: Ssh) => Promise<Value>,
): Promise<Value> {
  const { rentalId = "", id } = journal.job();
  const watch = stopwatch(host.now);
  /** Time that does not count: with a connection, or while this computer slept. */
  let skipped = 0;
  const passed = () => watch() - skipped;
  /** Counts at most `most` milliseconds of some work. */
  const counting = async <Result>(most: number, attempt: () => Promise<Result>): Promise<Result> => {
    const begun = watch();
    try {
      return await attempt();
    } finally {
      skipped += Math.max(0, watch() - begun - most);
    }
  };
  let known: RentalNow | undefined;
  const { lastKnown } = host;
  /** When logins began to fail. */
  let denied: number | undefined;
  /** Since when the rental has been `missing`. Undefined if it is not. */
  let missed: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    let problem = "it has no address for ssh yet";
    const longest = Math.min(maxLookUp, Math.max(minLookUp, timeout - passed()));
    const limit = limitAfter(longest);
    try {
      known = await counting(longest + tolerance, () =>
        host.lookUp(rentalId, AbortSignal.any([signal, limit])),
      );
      lastKnown.target = known.target;
    } catch (error) {
      signal.throwIfAborted();
      problem = error === limit.reason ? "its state could not be read in time" : reasonOf(error);
    }
    if (known?.state === "ended") throw new RentalFailed(`rental ${rentalId} ended before the job was done`);
    if (known?.state === "other")
      throw new RentalFailed(
        `rental ${rentalId} does not have the job's label: its ID may now belong to another rental`,
      );
    if (known?.state === "failed") throw new RentalFailed(`rental ${rentalId} has failed`);
    if (known?.state === "missing") {
      problem = missing(rentalId);
      missed ??= passed();
      if (passed() - missed >= maxMissing) throw new RentalFailed(problem);
    } else missed = undefined;
    if (lastKnown.target) {
      try {
        const ssh = openSsh(rentalId, lastKnown.target, { ...host, jobId: id, folder: journal.folder });
        const begun = watch();
        try {
          return await work(ssh);
        } finally {
          // Work that took long had a connection, so the waiting starts again.
          if (watch() - begun > longestAttempt) [skipped, denied, missed] = [watch(), undefined, undefined];
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ConnectionLost)) throw error;
        problem = error.message;
        denied = error.kind === "denied" ? (denied ?? passed()) : undefined;
        const isRefused = denied !== undefined && passed() - denied >= maxDenials;
        if (error.kind === "final" || isRefused) {
          throw new RentalUnreachable(
            `rental ${rentalId} cannot be used: ${problem}`,
            isRefused ? loginHint : "",
          );
        }
      }
    }
    const tried = passed();
    const left = timeout - tried;
    if (left <= 0) {
      const time = timeout === 0 ? "" : ` for ${duration(tried)}`;
      throw new WaitedTooLong(`rental ${rentalId} could not be reached${time}: ${problem}`, "", {
        request: null,
      });
    }
    onRetry(problem);
    const pause = Math.min(retryPause, left);
    await counting(pause + tolerance, () => host.sleep(pause, signal));
  }
}
