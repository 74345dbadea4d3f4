import type { Context } from "../../command-kit/context.ts";
import { EmptyResult, Interrupted, NotTried } from "../../core/errors.ts";
import { InterruptedWrite, NetworkError, ServiceError, UnknownOutcome } from "../../core/service-errors.ts";

/** What became of an item. */
export type Outcome<Value> = { readonly value: Value } | { readonly error: unknown };

interface Options {
  /** The most items that are worked on at a time. */
  readonly concurrency: number;
  /** The name of an item, such as `part 3`. */
  readonly nameOf: (index: number) => string;
  readonly sleep: Context["sleep"];
  /** Called after each item that is done. */
  readonly onDone?: (outcome: Outcome<unknown>) => void;
}

/** Milliseconds to wait after a 429 without `Retry-After`; doubled for each wait in a row, up to the maximum. */
const initialDelay = 500;
const maxDelay = 30_000;
/** Milliseconds. A longer `Retry-After` is not waited for. */
const maxRetryAfter = 60_000;
/** How often to wait, without an item that is done in between, before a 429 counts as a failure. */
const maxWaits = 8;
/** After this many items that are done, one more is worked on at a time again. */
const recovery = 8;

/**
 * Does paid work for several items, a few at a time, and returns the outcomes in the order of the items. A failure ends no
 * other item. Nothing is done twice, except after a 429, which means that nothing was done: then all items wait as long
 * as the service asks, and fewer are worked on at a time. No further item is started after an interruption, after a
 * failure that each item would have, such as a rejected key, and when too many fail in a row; the outcome of the
 * remaining ones is `NotTried` or `Interrupted`.
 */
export async function sideBySide<Item, Value>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Value>,
  { concurrency, nameOf, sleep, onDone = () => {} }: Options,
): Promise<readonly Outcome<Value>[]> {
  const { default: Queue } = await import("p-queue");
  const queue = new Queue({ concurrency });
  const outcomes: (Outcome<Value> | undefined)[] = items.map(() => undefined);
  const maxInRow = 2 * concurrency;
  let failedInRow = 0;
  let doneSinceWait = 0;
  let waits = 0;
  /** Milliseconds of the pause that is under way; undefined for none. */
  let pause: number | undefined;
  let notTried: Error | undefined;

  const stop = (index: number, error: unknown): void => {
    const isInterrupted = error instanceof Interrupted || error instanceof InterruptedWrite;
    notTried ??= isInterrupted
      ? new Interrupted("interrupted before it was requested")
      : new NotTried(nameOf(index), error);
    queue.start();
  };
  const waitAndResume = async (): Promise<void> => {
    for (let waited = 0; pause !== undefined && waited < pause; ) {
      const rest = pause - waited;
      await sleep(rest);
      waited += rest;
    }
    pause = undefined;
    queue.start();
  };
  /** Pauses all items. Several 429s during one pause count once. Returns whether there is a pause. */
  const slowDown = (index: number, retryAfter: number | undefined): boolean => {
    const isFirst = pause === undefined;
    if (notTried || (retryAfter ?? 0) > maxRetryAfter || (isFirst && waits >= maxWaits)) return false;
    pause = Math.max(pause ?? 0, retryAfter ?? (isFirst ? Math.min(initialDelay * 2 ** waits, maxDelay) : 0));
    if (!isFirst) return true;
    waits += 1;
    doneSinceWait = 0;
    queue.pause();
    queue.concurrency = Math.max(1, Math.floor(queue.concurrency / 2));
    waitAndResume().catch((error: unknown) => stop(index, error));
    return true;
  };
  const succeed = (): void => {
    failedInRow = 0;
    waits = 0;
    doneSinceWait += 1;
    if (doneSinceWait % recovery === 0) queue.concurrency = Math.min(concurrency, queue.concurrency + 1);
  };
  const fail = (index: number, error: unknown): void => {
    failedInRow += 1;
    if (!isOfItem(error) || failedInRow >= maxInRow) stop(index, error);
  };
  const attempt = async (item: Item, index: number): Promise<void> => {
    if (notTried) return;
    const outcome = await work(item, index).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if ("value" in outcome) succeed();
    else if (isBusy(outcome.error) && slowDown(index, outcome.error.retryAfter)) {
      void queue.add(() => attempt(item, index), { priority: 1 });
      return;
    } else fail(index, outcome.error);
    outcomes[index] = outcome;
    onDone(outcome);
  };
  for (const [index, item] of items.entries()) void queue.add(() => attempt(item, index));
  await queue.onIdle();
  return outcomes.map((outcome) => outcome ?? { error: notTried });
}

/** The service asks to wait: nothing was done. */
const isBusy = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status === 429;

/** Statuses that say something about the caller or the path, not about the item. */
const statusesForAll = [401, 402, 403, 404, 405, 429];

/** Whether a failure may be that of one item only. */
const isOfItem = (error: unknown): boolean =>
  error instanceof ServiceError
    ? !statusesForAll.includes(error.status)
    : error instanceof EmptyResult || error instanceof UnknownOutcome || error instanceof NetworkError;
