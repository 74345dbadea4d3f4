import { type ResponseLimits, responseLimits } from "../contract/plain/response-limits.ts";
import type { Route } from "../contract/plain/route.ts";
import { ConnectionFailed, InterruptedWrite, isRead, type Received } from "../core/service-errors.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { responseError, transportError } from "./failure.ts";
import { type Fetch, type FetchResponse, fetchResponse, type Observer, readStart } from "./fetch.ts";
import type { WireRequest } from "./request.ts";

export interface SendOptions {
  readonly fetch: Fetch;
  /** Milliseconds for one attempt, by the host of the operation. */
  readonly timeout: Readonly<Record<Route["host"], number>>;
  /** How many times to retry after the first attempt. */
  readonly retries: number;
  /** Rejects with the signal's reason once the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly now: () => number;
  /** Aborts the requests that are sent with these options. */
  readonly signal?: AbortSignal;
  /** Called for each request when the head of its response arrives, or when it fails without a response. */
  readonly observe?: Observer;
  /** Default: `responseLimits`. */
  readonly limits?: ResponseLimits;
}

/** A request whose response is being read. */
export interface RequestInFlight {
  readonly request: WireRequest;
  readonly deadline: Deadline;
  readonly signal: AbortSignal | undefined;
  readonly limits: ResponseLimits;
  /**
   * Returns what has arrived so far of the response to a paid request. Undefined if nothing has arrived, or if the
   * request is not paid.
   */
  readonly received: () => Received | undefined;
  /** Call this if the body will be read after `sendRequest` returns. The caller must then clear the deadline. */
  readonly keepOpen: () => void;
}

/**
 * Reads a successful response. If this throws anything but a `ServiceError`, the outcome of a write is unknown.
 * A read request is then retried only if the connection broke or the time limit was reached.
 */
export type ReadResponse<Value> = (response: FetchResponse, inFlight: RequestInFlight) => Promise<Value>;

/** The response header with the ID that the service gave the request. */
export const requestIdHeader = "x-request-id";

/** Delays before a retry, in milliseconds. */
const initialDelay = 250;
const maxDelay = 8_000;
/** Milliseconds. A request is not retried if `Retry-After` asks for a longer delay. */
const maxRetryAfter = 60_000;

/**
 * Sends a request and returns the result of `read`. Read requests are retried on 408, 429, 5xx and network errors, with
 * exponential backoff and jitter, or after the delay that `Retry-After` asks for.
 */
export async function sendRequest<Value>(
  request: WireRequest,
  read: ReadResponse<Value>,
  options: SendOptions,
): Promise<Value> {
  const { retries, sleep, random, signal } = options;
  for (let failures = 0; ; failures += 1) {
    const result = await attempt(request, read, options);
    if ("value" in result) return result.value;
    const backoff = Math.min(initialDelay * 2 ** failures, maxDelay) * (0.5 + random() / 2);
    const delay = result.retryAfter ?? backoff;
    if (!result.retryable || failures >= retries || delay > maxRetryAfter) throw result.error;
    await sleep(delay, signal);
  }
}

type Attempt<Value> =
  | { readonly value: Value }
  | {
      readonly error: unknown;
      readonly retryable: boolean;
      /** Milliseconds that the service asks to wait. */
      readonly retryAfter?: number | undefined;
    };

/**
 * Sends a request once. Returns the error of a failed request, but throws after an abort. The error of a write is never
 * retryable.
 */
async function attempt<Value>(
  request: WireRequest,
  read: ReadResponse<Value>,
  { fetch, signal, observe, timeout, now, limits = responseLimits }: SendOptions,
): Promise<Attempt<Value>> {
  signal?.throwIfAborted();
  const isReadRequest = isRead(request);
  const deadline = startDeadline(timeout[request.host], signal);
  let received: () => Received | undefined = () => undefined;
  let status: number | undefined;
  let open = false;
  const keepOpen = () => {
    open = true;
  };
  try {
    let response = await fetchResponse(fetch, request, { deadline, limits, observe });
    const { headers } = response;
    status = response.status;
    if (isSuccess(status, request)) {
      if (isPaid(request)) ({ response, received } = record(response));
      return { value: await read(response, { request, deadline, signal, limits, received, keepOpen }) };
    }
    const body = await readStart(response, deadline, limits.failure);
    const retryAfter = retryAfterMs(headers.get("retry-after"), now());
    const [location, requestId] = [headers.get("location"), headers.get(requestIdHeader)];
    return {
      error: responseError({ ...body, status, location, retryAfter, requestId }, request),
      retryable: isReadRequest && (status === 429 || status === 408 || status >= 500),
      retryAfter,
    };
  } catch (cause) {
    if (signal?.aborted) {
      throw isReadRequest || wasNotSent(cause) ? signal.reason : new InterruptedWrite(request, received());
    }
    const error = transportError(cause, { request, status, received: received() });
    return { error, retryable: isReadRequest && error !== cause };
  } finally {
    if (!open) deadline.clear();
  }
}

/**
 * Whether a request generates something. The service charges as soon as the generation is done, so the response must
 * not be lost.
 */
export const isPaid = ({ effect }: WireRequest): boolean => effect === "generate";

/**
 * Returns the response, and a function that returns the part of the body that has been read so far, or undefined if
 * nothing has been read.
 */
function record(response: FetchResponse): {
  readonly response: FetchResponse;
  readonly received: () => Received | undefined;
} {
  const { body, pending, restored = (bytes) => bytes } = response;
  const chunks: Uint8Array[] = [];
  let complete = false;
  async function* recording(from: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of from) {
      chunks.push(chunk);
      yield chunk;
    }
    complete = true;
  }
  return {
    response: { ...response, body: body && recording(body) },
    received: () => {
      const bytes = Buffer.concat([...chunks, pending?.() ?? new Uint8Array()]);
      return bytes.length === 0 ? undefined : { bytes: restored(bytes), complete };
    },
  };
}

/** 304 is a success only for a conditional request. */
const isSuccess = (status: number, { headers }: WireRequest): boolean =>
  (status >= 200 && status < 300) || (status === 304 && "If-None-Match" in headers);

const wasNotSent = (cause: unknown): boolean => cause instanceof ConnectionFailed && !cause.sent;

/**
 * Converts a `Retry-After` header to milliseconds. The header holds a date or seconds, which some services send with a
 * fraction. Returns undefined if the header is missing or invalid.
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  if (!header) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1000;
  const date = /^[a-z]{3}/i.test(header.trim()) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
