import type { Route } from "../contract/route.ts";
import { type Deadline, deadline, orAborted } from "./deadline.ts";
import { ConnectionFailed } from "./errors.ts";
import { type Observer, sendHead } from "./exchange.ts";
import { type Fetch, type FetchAnswer, readText } from "./fetch.ts";
import { InterruptedWrite } from "./interrupted.ts";
import { failedAnswer, failedSending } from "./outcome.ts";
import { isRead, type WireRequest } from "./request.ts";
import type { Attempt } from "./retry.ts";

export interface AttemptOptions {
  readonly fetch: Fetch;
  /** Milliseconds for one try, by the host of the operation. */
  readonly timeout: Readonly<Record<"compute" | "inference", number>>;
  /** Ends every call under way. */
  readonly signal?: AbortSignal;
  /** Told of each answer that came. */
  readonly observe?: Observer;
}

/** A request on its way. */
export interface Sent {
  readonly request: WireRequest;
  readonly host: Route["host"];
  readonly limit: Deadline;
  /** Whoever goes on reading after the try has ended the time for it, and clears the limit. */
  readonly keepOpen: () => void;
}

/** What is made of an answer that is a success. It may throw as a broken connection does. */
export type ReadAnswer<Value> = (answer: FetchAnswer, sent: Sent) => Promise<Attempt<Value>>;

/**
 * One try of a request. `readAnswer` reads a success; what is none becomes the error that it means, and a read whose
 * failure may pass may be tried again.
 */
export async function attempt<Value>(
  request: WireRequest,
  host: Route["host"],
  readAnswer: ReadAnswer<Value>,
  { fetch, signal, observe, timeout }: AttemptOptions,
): Promise<Attempt<Value>> {
  signal?.throwIfAborted();
  const read = isRead(request);
  const limit = deadline(timeout[host], signal);
  let open = false;
  const keepOpen = () => {
    open = true;
  };
  try {
    const answer = await sendHead(fetch, request, limit, observe);
    const { status, headers } = answer;
    if (isSuccess(status, request)) return await readAnswer(answer, { request, host, limit, keepOpen });
    return {
      error: failedAnswer(
        status,
        await orAborted(readText(answer), limit.signal),
        request,
        headers.get("location"),
      ),
      again: read && (status === 429 || status >= 500),
      retryAfter: headers.get("retry-after"),
    };
  } catch (cause) {
    if (signal?.aborted) throw read || neverLeft(cause) ? signal.reason : new InterruptedWrite(request);
    const error = failedSending(cause, request);
    return { error, again: read && error !== cause };
  } finally {
    if (!open) limit.clear();
  }
}

/** That nothing changed is what a conditional request wants to hear. */
const isSuccess = (status: number, { headers }: WireRequest): boolean =>
  (status >= 200 && status < 300) || (status === 304 && "If-None-Match" in headers);

const neverLeft = (cause: unknown): boolean => cause instanceof ConnectionFailed && !cause.sent;
