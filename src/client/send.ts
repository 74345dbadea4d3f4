import { routes } from "../contract/generated/routes.ts";
import type { OperationId } from "../contract/index.ts";
import type { Route } from "../contract/route.ts";
import { type Deadline, deadline, orAborted } from "./deadline.ts";
import { ConnectionFailed, ServiceError } from "./errors.ts";
import { type Observer, sendHead } from "./exchange.ts";
import { type Fetch, type FetchAnswer, readText } from "./fetch.ts";
import { InterruptedWrite } from "./interrupted.ts";
import { legacyOf } from "./negotiate.ts";
import { failedAnswer, failedSending } from "./outcome.ts";
import { type Target, type WireRequest, wireRequest } from "./request.ts";
import { type Attempt, type RetryOptions, withRetries } from "./retry.ts";

export interface CallOptions extends RetryOptions {
  readonly fetch: Fetch;
  readonly target: Target;
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
 * Sends an operation and gives back what is made of its answer when that is a success. Reads are tried again; nothing
 * else ever is. Where the path is unknown to the service, the older path that it replaced is asked instead.
 */
export async function send<Value>(
  id: OperationId,
  input: object,
  readAnswer: ReadAnswer<Value>,
  options: CallOptions,
): Promise<Value> {
  const legacy = legacyOf(id);
  try {
    return await sendTo(id, input, readAnswer, options);
  } catch (error) {
    if (legacy === undefined || !(error instanceof ServiceError) || error.status !== 404) throw error;
    return sendTo(legacy, input, readAnswer, options);
  }
}

function sendTo<Value>(
  id: OperationId,
  input: object,
  readAnswer: ReadAnswer<Value>,
  options: CallOptions,
): Promise<Value> {
  const { host } = routes[id];
  const request = wireRequest(routes[id], { ...input }, options.target);
  return withRetries(() => attempt(request, host, readAnswer, options), options);
}

/** One try: a request sent, its failures told apart, its success read. Only a read may be tried again. */
async function attempt<Value>(
  request: WireRequest,
  host: Route["host"],
  readAnswer: ReadAnswer<Value>,
  { fetch, signal, observe, timeout }: CallOptions,
): Promise<Attempt<Value>> {
  signal?.throwIfAborted();
  const read = request.method === "GET";
  const limit = deadline(timeout[host], signal);
  let open = false;
  const keepOpen = () => {
    open = true;
  };
  try {
    const answer = await sendHead(fetch, request, limit, observe);
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return await readAnswer(answer, { request, host, limit, keepOpen });
    return {
      error: failedAnswer(status, await orAborted(readText(answer), limit.signal), request),
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

const neverLeft = (cause: unknown): boolean => cause instanceof ConnectionFailed && !cause.sent;
