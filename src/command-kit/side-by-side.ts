import { Interrupted, NotTried } from "../core/errors.ts";
import { ServiceError } from "../core/service-errors.ts";
import type { Context } from "./context.ts";

export interface SideBySideOptions<Value> extends Pick<Context, "sleep" | "interrupted" | "now"> {
  /** How many items are under way at once. A 429 halves it for all; successes raise it again. */
  readonly concurrency: number;
  /** How many times in a row the run waits after a 429 before the 429 counts as a failure. */
  readonly retries: number;
  /** What an item is called in the error of those that are not tried after it. */
  readonly nameOf: (index: number) => string;
  /** The failure that an outcome shows all further items to have; undefined if there is none. */
  readonly failureOfAll: (outcome: Outcome<Value>) => unknown;
  /** Called when all wait after a 429, with the milliseconds. */
  readonly onWait: (index: number, milliseconds: number) => void;
}

export type Outcome<Value> = { readonly value: Value } | { readonly error: unknown };

/** Delays after a 429 without `Retry-After`, in milliseconds. */
const initialDelay = 500;
const maxDelay = 16_000;
/** A longer `Retry-After` is not waited for. */
const maxRetryAfter = 60_000;

/**
 * Does the work for each of `count` items, several at once, and returns the outcomes in order. A 429 means that nothing
 * was done: all wait as long as the service asks, and the item is tried again. No other failure is repeated. An item that
 * is not begun, because the user interrupts or an item fails as all would, has the outcome `Interrupted` or `NotTried`.
 */
export async function sideBySide<Value>(
  count: number,
  work: (index: number) => Promise<Value>,
  options: SideBySideOptions<Value>,
): Promise<readonly Outcome<Value>[]> {
  const { default: PQueue } = await import("p-queue");
  const { concurrency, retries, sleep, interrupted, now, nameOf, failureOfAll, onWait } = options;
  const queue = new PQueue({ concurrency });
  const outcomes: Outcome<Value>[] = [];
  let stopped: { readonly error: NotTried } | undefined;
  let waits = 0;
  /** Counts the waits of the whole run. */
  let period = 0;
  let waitsUntil = 0;
  let successes = 0;

  /** Pauses all; false if this has been done too often without a success. */
  const waitAfter = ({ retryAfter }: ServiceError, index: number, sentIn: number): boolean => {
    // Several that were under way may be refused: that is one wait.
    if (sentIn === period) {
      if (waits >= retries) return false;
      waits += 1;
      period += 1;
      successes = 0;
      queue.concurrency = Math.max(1, Math.floor(queue.concurrency / 2));
    }
    const delay = retryAfter ?? Math.min(initialDelay * 2 ** (waits - 1), maxDelay);
    if (delay > maxRetryAfter) return false;
    onWait(index, delay);
    const until = now() + delay;
    if (queue.isPaused && until <= waitsUntil) return true;
    queue.pause();
    waitsUntil = until;
    const resume = () => {
      if (waitsUntil === until) queue.start();
    };
    // An interruption ends the wait: the items that are left then end at once.
    sleep(delay).then(resume, () => queue.start());
    return true;
  };

  const succeed = () => {
    waits = 0;
    successes += 1;
    if (successes < queue.concurrency || queue.concurrency === concurrency) return;
    successes = 0;
    queue.concurrency += 1;
  };

  const run = async (index: number): Promise<void> => {
    const sentIn = period;
    const outcome = stopped ?? (interrupted.aborted ? notRequested : await outcomeOf(() => work(index)));
    if ("value" in outcome) succeed();
    else if (isRefusedForNow(outcome.error) && !interrupted.aborted && !stopped) {
      if (waitAfter(outcome.error, index, sentIn)) {
        void queue.add(() => run(index), { priority: 1 });
        return;
      }
    }
    outcomes[index] = outcome;
    const failure = failureOfAll(outcome);
    if (failure !== undefined) stopped ??= { error: new NotTried(nameOf(index), failure) };
  };
  for (let index = 0; index < count; index += 1) void queue.add(() => run(index));
  await queue.onIdle();
  return outcomes;
}

/** The result of the work, or its failure. */
export async function outcomeOf<Value>(work: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

const notRequested = { error: new Interrupted("not requested") };

const isRefusedForNow = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status === 429;
