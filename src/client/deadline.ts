import { ConnectionFailed } from "./errors.ts";

/** Time ran out for one try. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`);
  }
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Starts the time anew: something came. */
  readonly extend: () => void;
  /** Stops the time until it is started anew. */
  readonly pause: () => void;
  readonly clear: () => void;
}

/** A signal that is aborted with `TimedOut` when time runs out, or with the outer signal's reason. */
export function deadline(milliseconds: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const expire = () => controller.abort(new TimedOut(milliseconds));
  let timer = setTimeout(expire, milliseconds);
  const pass = () => controller.abort(outer?.reason);
  if (outer?.aborted) pass();
  outer?.addEventListener("abort", pass, { once: true });
  return {
    signal: controller.signal,
    extend: () => {
      clearTimeout(timer);
      timer = setTimeout(expire, milliseconds);
    },
    pause: () => clearTimeout(timer),
    clear: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", pass);
    },
  };
}

/**
 * The promise, or the signal's reason when it is aborted. Only a connection that was not made by then goes first:
 * it knows that nothing was sent.
 */
export function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => setImmediate(() => reject(signal.reason));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise
      .then(resolve, (error: unknown) => {
        reject(signal.aborted && !(error instanceof ConnectionFailed) ? signal.reason : error);
      })
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
