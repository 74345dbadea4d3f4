import { Interrupted, NotTried } from "../core/errors.ts";
import { ServiceError } from "../core/service-errors.ts";
import { steadyClock } from "../core/tasks/steady-clock.ts";
import type { Context } from "./context.ts";

export interface SideBySideOptions<Value> extends Pick<Context, "sleep" | "interrupted" | "now"> {
  /** How many items are worked on at once. A 429 halves the number; successes raise it again. */
  readonly concurrency: number;
  /** After this many waits in a row, with no success in between, the next 429 counts as a failure. */
  readonly maxWaits: number;
  /** The name of an item, such as `part 3`. */
  readonly nameOf: (index: number) => string;
  /** If all further items would fail in the same way, returns the error of the outcome; otherwise undefined. */
  readonly failureOfAll: (outcome: Outcome<Value>) => unknown;
  /** Called when all items have to wait because one was refused. `milliseconds` is how long they wait. */
  readonly onWait?: (index: number, milliseconds: number) => void;
  /** Called once with the outcome of each item, except items that were not started or that wait to be tried again. */
  readonly onDone?: (outcome: Outcome<Value>) => void;
}

/** The outcome of the work for one item: its value or its error. */
export type Outcome<Value> = { readonly value: Value } | { readonly error: unknown };

/** Milliseconds to wait after a 429 without `Retry-After`; doubled for each wait in a row, up to the maximum. */
const initialDelay = 500;
const maxDelay = 30_000;
/** Milliseconds. If `Retry-After` is longer, the 429 counts as a failure. */
const maxRetryAfter = 60_000;
/** After this many successes, the number of concurrent items grows by one, up to `concurrency`. */
const recovery = 8;

/**
 * Does paid work for several items, some of them at once. Returns the outcomes in the order of the items. A 429 means
 * that nothing was done: all items wait (for the time in `Retry-After`, if there is one), and the refused item is tried
 * again. No other failure is retried. Items that were not started, or that wait to be tried again, have the outcome
 * `Interrupted` if the user interrupts, and `NotTried` if an item fails and all others would fail in the same way.
 */
export async function sideBySide<Item, Value>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Value>,
  options: SideBySideOptions<Value>,
): Promise<readonly Outcome<Value>[]> {
  const { default: PQueue } = await import("p-queue");
  const { maxWaits, sleep, interrupted, nameOf, failureOfAll, onWait, onDone } = options;
  const now = steadyClock(options.now);
  const concurrency = Math.max(1, Math.min(options.concurrency, items.length));
  const queue = new PQueue({ concurrency });
  const outcomes: (Outcome<Value> | undefined)[] = items.map(() => undefined);
  /** Why no further item is started. */
  let stopped: unknown;
  /** Counts the waits since the last success. */
  let waits = 0;
  /** Counts the waits of the whole run. */
  let period = 0;
  let waitsUntil = 0;
  let successes = 0;
  /** Aborted when no further item is started, so that a wait does not keep the process running. */
  const over = new AbortController();

  const stop = (error: unknown): void => {
    stopped ??= interrupted.aborted ? new Interrupted("interrupted before the request") : error;
    over.abort();
    queue.start();
  };
  const waitAndResume = async (): Promise<void> => {
    for (let left = waitsUntil - now(); left > 0; left = waitsUntil - now()) {
      await sleep(left, over.signal);
    }
    queue.start();
  };
  /**
   * Makes all items wait. Returns false if the service asks for a wait that is too long, or asks for too many waits in
   * a row.
   */
  const waitAfter = ({ retryAfter }: ServiceError, index: number, sentIn: number): boolean => {
    // If several requests that were under way are refused, this counts as one wait.
    const isNew = sentIn === period;
    if ((retryAfter ?? 0) > maxRetryAfter || (isNew && waits >= maxWaits)) return false;
    if (isNew) {
      waits += 1;
      period += 1;
      successes = 0;
      queue.concurrency = Math.max(1, Math.floor(queue.concurrency / 2));
    }
    const delay = retryAfter ?? Math.min(initialDelay * 2 ** Math.max(0, waits - 1), maxDelay);
    waitsUntil = Math.max(waitsUntil, now() + delay);
    onWait?.(index, delay);
    if (queue.isPaused) return true;
    queue.pause();
    waitAndResume().catch(stop);
    return true;
  };
  const succeed = (): void => {
    waits = 0;
    successes += 1;
    if (successes % recovery === 0) queue.concurrency = Math.min(concurrency, queue.concurrency + 1);
  };
  const attempt = async (item: Item, index: number): Promise<void> => {
    if (interrupted.aborted) stop(undefined);
    if (stopped !== undefined) return;
    const sentIn = period;
    const outcome = await outcomeOf(() => work(item, index));
    const mayWait = stopped === undefined && !interrupted.aborted;
    if ("value" in outcome) succeed();
    else if (mayWait && isRefusedForNow(outcome.error) && waitAfter(outcome.error, index, sentIn)) {
      void queue.add(() => attempt(item, index), { priority: 1 });
      return;
    }
    outcomes[index] = outcome;
    const failure = failureOfAll(outcome);
    if (failure !== undefined) stop(new NotTried(nameOf(index), failure));
    onDone?.(outcome);
  };
  for (const [index, item] of items.entries()) void queue.add(() => attempt(item, index));
  await queue.onIdle();
  return outcomes.map((outcome) => outcome ?? { error: stopped });
}

/** Does the work, and returns its outcome. */
export async function outcomeOf<Value>(work: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

const isRefusedForNow = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status === 429;
