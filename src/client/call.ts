import { routes } from "../contract/generated/routes.ts";
import type { InputOf, OperationId, OutputOf } from "../contract/index.ts";
import type { Route } from "../contract/route.ts";
import { deadline } from "./deadline.ts";
import { ConnectionFailed, ServiceError } from "./errors.ts";
import { type Observer, sendWhole } from "./exchange.ts";
import type { Fetch } from "./fetch.ts";
import { InterruptedWrite } from "./interrupted.ts";
import { legacyOf } from "./negotiate.ts";
import { failedAnswer, failedSending, unreadable } from "./outcome.ts";
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

/** One operation and its input in, its answer out. A read that is not worth waiting for may go without retries. */
export type Call = <Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options?: Partial<Pick<RetryOptions, "retries">>,
) => Promise<OutputOf<Id>>;

/**
 * Sends an operation and gives back its answer, unchanged. Reads are tried again; nothing else ever is.
 * Where the path is unknown to the service, the older path that it replaced is asked instead.
 * Throws `ServiceError`, `NetworkError`, `UnreadableAnswer` or `UnknownOutcome`, and before anything is sent
 * `NoBaseUrl`, `NoCredential` or `InsecureUrl`.
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  options: CallOptions,
): Promise<OutputOf<Id>> {
  const legacy = legacyOf(id);
  try {
    return (await callPath(id, input, options)) as OutputOf<Id>;
  } catch (error) {
    if (legacy === undefined || !(error instanceof ServiceError) || error.status !== 404) throw error;
    return (await callPath(legacy, input, options)) as OutputOf<Id>;
  }
}

function callPath(id: OperationId, input: object, options: CallOptions): Promise<unknown> {
  const request = wireRequest(routes[id], { ...input }, options.target);
  return withRetries(() => attempt(request, routes[id].host, options), options);
}

async function attempt(
  request: WireRequest,
  host: Route["host"],
  { fetch, signal, observe, timeout }: CallOptions,
): Promise<Attempt<unknown>> {
  signal?.throwIfAborted();
  const read = request.method === "GET";
  const limit = deadline(timeout[host], signal);
  try {
    const { status, text, header } = await sendWhole(fetch, request, limit, observe);
    if (status >= 200 && status < 300) {
      const created = request.method === "POST" && host === "compute";
      const body = text === "" ? emptyAnswer(request.method, status) : readJson(text);
      if (created && body?.value === null) return { error: unreadable(status, text, request), again: false };
      return body ?? { error: unreadable(status, text, request), again: false };
    }
    return {
      error: failedAnswer(status, text, request),
      again: read && (status === 429 || status >= 500),
      retryAfter: header("retry-after"),
    };
  } catch (cause) {
    if (signal?.aborted) throw read || neverLeft(cause) ? signal.reason : new InterruptedWrite(request);
    const error = failedSending(cause, request);
    return { error, again: read && error !== cause };
  } finally {
    limit.clear();
  }
}

const neverLeft = (cause: unknown): boolean => cause instanceof ConnectionFailed && !cause.sent;

/** A deletion and a change may answer with nothing; whatever else does has not said what was asked. */
const emptyAnswer = (method: string, status: number): { readonly value: null } | undefined =>
  method === "DELETE" || method === "PUT" || (method === "GET" && status === 204)
    ? { value: null }
    : undefined;

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
