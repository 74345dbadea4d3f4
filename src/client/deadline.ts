import { setMaxListeners } from "node:events";
import { ConnectionFailed } from "../core/service-errors.ts";

export interface Deadline {
  readonly signal: AbortSignal;
  /** Restarts the timer. */
  readonly extend: () => void;
  /** Stops the timer until `extend` is called. */
  readonly pause: () => void;
  /** Stops the timer and ignores the outer signal from now on. */
  readonly clear: () => void;
}

/** Milliseconds. If a timer is later than this, the process is assumed to have been suspended. */
const maxLateness = 1_000;

/**
 * Calls `expire` after the given time. Returns a function that stops the timer. When a suspended process continues,
 * Node.js runs timers before it reads what has arrived meanwhile, such as the response to a paid request. Therefore, a
 * timer that fires too late starts again.
 */
export function startTimer(milliseconds: number, expire: () => void): () => void {
  let timer: NodeJS.Timeout;
  const start = () => {
    const due = performance.now() + milliseconds;
    timer = setTimeout(() => (performance.now() > due + maxLateness ? start() : expire()), milliseconds);
  };
  start();
  return () => clearTimeout(timer);
}

/** The error for a request that was sent but got no response within the given time. */
export const timedOut = (milliseconds: number): ConnectionFailed =>
  new ConnectionFailed(`no response within ${milliseconds / 1000} s`, { code: "ETIMEDOUT", sent: true });

/**
 * Starts a deadline. Its signal is aborted after the given time. If the outer signal is aborted first, the deadline's
 * signal is aborted with the same reason.
 */
export function startDeadline(milliseconds: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const expire = () => controller.abort(timedOut(milliseconds));
  let stop = startTimer(milliseconds, expire);
  const forward = () => controller.abort(outer?.reason);
  if (outer?.aborted) forward();
  // Without this, Node.js prints a warning if more than ten requests are in progress at once.
  if (outer) setMaxListeners(0, outer);
  outer?.addEventListener("abort", forward, { once: true });
  return {
    signal: controller.signal,
    extend: () => {
      stop();
      stop = startTimer(milliseconds, expire);
    },
    pause: () => stop(),
    clear: () => {
      stop();
      outer?.removeEventListener("abort", forward);
    },
  };
}

/**
 * Settles like the promise, or rejects with the signal's reason once the signal is aborted. A `ConnectionFailed` takes
 * precedence over the reason, because it says whether anything was sent.
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
