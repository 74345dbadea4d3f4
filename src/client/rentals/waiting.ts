import { NotFound, RentalFailed, reasonOf, WaitedTooLong } from "../../core/errors.ts";
import { assertIsRental, statesOf } from "../../core/responses/rental.ts";
import { isTemporary, ServiceError } from "../../core/service-errors.ts";
import { stopwatch } from "../../core/tasks/steady-clock.ts";
import { commandLine } from "../../core/text.ts";
import { limitAfter } from "../../core/values/durations.ts";
import type { Call } from "../call.ts";

/** The default for the maximum time between two requests for the state of a rental, in milliseconds. */
export const defaultInterval = 5_000;

/** The default for the maximum time to wait for a rental, in milliseconds. */
export const defaultWaitTimeout = 15 * 60_000;

/** The states of a rental that a command can wait for. */
export const waitStates = ["running", "active", "terminated"] as const;

/** The pause after the first request, in milliseconds. It doubles after each further request. */
const firstPause = 1_000;

/** The minimum time limit of a request, in milliseconds. The last one is sent at the timeout, when no time is left. */
export const minLookUp = 2_000;

export interface Wait {
  readonly rentalId: string;
  /** What the wait is for, such as "is running". */
  readonly goal: string;
  readonly reached: (rental: unknown, states: readonly string[]) => boolean;
  /** Maximum time between two requests, in milliseconds. The first requests follow each other sooner. */
  readonly interval?: number | undefined;
  /** Maximum time to wait, in milliseconds. */
  readonly timeout: number;
  /** The rental was just created. The service may not find it yet, and a temporary failure must not end the wait. */
  readonly isNew?: boolean;
}

interface Waiting {
  readonly call: Call;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** The state of a rental in words. */
  readonly stateText: (rental: unknown) => string;
  /** Called after each successful request that does not end the wait. */
  readonly update?: (rental: unknown) => void;
}

/** How long a service may fail to find a new rental, in milliseconds. */
const maxUnfound = 60_000;

const isNotFound = (error: unknown): boolean =>
  error instanceof NotFound || (error instanceof ServiceError && error.status === 404);

/** The goal of a wait for a state. */
export const inState = (state: string): Pick<Wait, "goal" | "reached"> => ({
  goal: `is ${state}`,
  reached: (_rental, states) => states.includes(state),
});

/**
 * Polls a rental until the goal is reached or the timeout expires. The timeout holds even if the service does not
 * respond or the clock is set back. Throws `WaitedTooLong` at the timeout, or up to `minLookUp` later if the last
 * request takes that long. Once the rental was found, and for a new rental, a temporary failure does not end the wait.
 * Throws `NotFound`, or a `ServiceError` with status 404, when the rental does not exist; for a new rental that was
 * never found, only after `maxUnfound`. Unless the goal is the end of the rental, also throws `NotFound` when the
 * rental has ended, and `RentalFailed` when it has failed.
 */
export async function waitForRental(
  { rentalId, goal, reached, interval = defaultInterval, timeout, isNew = false }: Wait,
  { call, now, sleep, stateText, update }: Waiting,
): Promise<object> {
  const passed = stopwatch(now);
  const late = `timed out waiting until rental ${rentalId} ${goal}`;
  let pause = firstPause;
  let last: string | undefined;
  for (;;) {
    const limit = limitAfter(Math.max(minLookUp, timeout - passed()));
    const before = last === undefined ? "" : `; before, it was ${last}`;
    const unread = (why: string) =>
      new WaitedTooLong(
        `${late}: its state could not be read${why}${before}`,
        "The rental was not changed and may still be billed.",
        { request: null },
      );
    const rental = await getRental(rentalId, { call, signal: limit }).catch((error: unknown) => {
      if (error === limit.reason) throw unread(" in time");
      const isExpected = isNew || last !== undefined;
      const isPending = isNew && last === undefined && isNotFound(error) && passed() < maxUnfound;
      if (!isPending && !(isExpected && isTemporary(error))) throw error;
      if (passed() >= timeout) throw unread(`: ${reasonOf(error)}`);
      return undefined;
    });
    if (rental === undefined) {
      await sleep(Math.min(pause, interval, timeout - passed()));
      pause *= 2;
      continue;
    }
    const states = statesOf(rental);
    if (reached(rental, states)) return rental;
    if (!reached({}, ["terminated"])) {
      assertNotTerminated(rentalId, states);
      assertNotFailed(rentalId, states);
    }
    last = stateText(rental);
    const left = timeout - passed();
    if (left <= 0) {
      throw new WaitedTooLong(`${late}: it is ${last}`, "The rental was not changed and is still billed.");
    }
    update?.(rental);
    await sleep(Math.min(pause, interval, left));
    pause *= 2;
  }
}

/**
 * Returns a rental's record. If there is no such rental, throws `NotFound`, or a `ServiceError` with status 404. Throws
 * `UnexpectedResponse` if the service returns the record of another rental.
 */
export async function getRental(
  rentalId: string,
  { call, signal }: { readonly call: Call; readonly signal?: AbortSignal },
): Promise<object> {
  const rental = await call("getRental", { rentalId }, signal && { signal });
  if (rental === null) throw new NotFound(`rental ${rentalId} not found`);
  assertIsRental(rentalId, rental);
  return rental;
}

export function assertNotTerminated(rentalId: string, states: readonly string[]): void {
  if (states.includes("terminated")) throw new NotFound(`rental ${rentalId} has ended`);
}

export function assertNotFailed(rentalId: string, states: readonly string[]): void {
  if (states.includes("failed"))
    throw new RentalFailed(
      `rental ${rentalId} has failed; it may still be billed`,
      `\`${commandLine("rentals terminate", [rentalId])}\` ends it.`,
    );
}
