import { codeOf, reasonOf } from "../core/errors.ts";
import { isNestedBeyond, parseJson } from "../core/json.ts";
import { maxLevels, readFailure } from "../core/responses/failure-body.ts";
import {
  ConnectionFailed,
  InvalidResponse,
  isRead,
  isRedirect,
  NetworkError,
  type Received,
  ServiceError,
  UnknownOutcome,
} from "../core/service-errors.ts";
import { keyRedactor, type WireRequest } from "./request.ts";

/** A failed response. */
interface FailedResponse {
  readonly status: number;
  /** The body, or the part of it that was read. */
  readonly text: string;
  readonly isComplete: boolean;
  readonly location: string | null;
  /** Milliseconds that the service asks to wait. */
  readonly retryAfter: number | undefined;
  readonly requestId: string | null;
}

/** Statuses that say that the service, or a proxy, stopped waiting. The service may still do what was asked. */
const timeouts: readonly number[] = [408, 499];

/**
 * Returns the error for a failed response. Only a refusal (4xx, but not a timeout) that can be read in full shows that
 * a write had no effect.
 */
export function responseError(response: FailedResponse, request: WireRequest): Error {
  const { status, isComplete, location, retryAfter, requestId } = response;
  const text = keyRedactor(request)(response.text);
  const failure = readFailure(status, text);
  const reply = { status, requestId, retryAfter, text };
  const redirects = isRedirect(status) && location !== null;
  const message = redirects ? redirectMessage(location, request) : failure.message;
  const isRefusal = status >= 400 && status < 500 && !timeouts.includes(status);
  const isReadable = isComplete && !isNestedBeyond(parseJson(text), maxLevels);
  if ((isRefusal && isReadable) || isRead(request))
    return new ServiceError({ ...failure, message, retryAfter, reply }, request);
  const reason = redirects ? message : `the service responded ${status}: ${message}`;
  return new UnknownOutcome(reason, status, request, { reply, issues: failure.issues });
}

/** Explains why a redirect was not followed. Shows its target without the query, which may hold secrets. */
function redirectMessage(location: string, request: WireRequest): string {
  const from = new URL(request.url);
  if (!URL.canParse(location, request.url)) return "the service redirects to an invalid URL";
  const to = new URL(location, from);
  const place = keyRedactor(request)(`${to.origin === "null" ? to.protocol : to.origin}${to.pathname}`);
  if (to.origin !== from.origin) {
    return `the service redirects to ${place}; the API key is not sent to another origin, so the redirect was not followed`;
  }
  return isRead(request)
    ? `too many redirects, the last one to ${place}`
    : `the service redirects to ${place}; gpuctl does not follow redirects for ${request.method} requests`;
}

/** Base64 text this long is a picture or sound and is not shown. */
const base64 = /[\w+/]{64,}={0,2}/g;

/**
 * Returns the error for a successful response that cannot be read. If the request was a write, it may have taken
 * effect.
 */
export function unreadableResponse(status: number, text: string, request: WireRequest): Error {
  const empty = text === "" || text.trim() === "null";
  const reason = empty
    ? `the service responded ${status} with no content (an empty body or null)`
    : `the response is not JSON: ${readFailure(status, keyRedactor(request)(text).replace(base64, "…")).message}`;
  return isRead(request)
    ? new InvalidResponse(reason, status, request)
    : new UnknownOutcome(reason, status, request);
}

/** A request whose response was not read to its end. */
interface UnfinishedRequest {
  readonly request: WireRequest;
  /** The status of the response, if it began to arrive. */
  readonly status?: number | undefined;
  /** What arrived of the response to a paid request. */
  readonly received?: Received | undefined;
}

/**
 * Returns the error for a request without a complete response. If a write was sent, its outcome is unknown, whatever
 * went wrong. For a read, and for a write that was not sent, errors that are not about the connection are returned
 * unchanged. Errors that already state the outcome of a write are also returned unchanged, with one exception: if a
 * part of the response was received, an `UnknownOutcome` is replaced by one that holds that part.
 */
export function transportError(cause: unknown, { request, status, received }: UnfinishedRequest): unknown {
  const failed = connectionError(cause);
  if (failed && (isRead(request) || !failed.sent)) {
    return new NetworkError(failed.message, failed.code, request);
  }
  const wasSent = failed !== undefined || status !== undefined;
  const isKnown =
    cause instanceof ServiceError || (cause instanceof UnknownOutcome && received === undefined);
  if (isRead(request) || !wasSent || isKnown) return cause;
  const known = cause instanceof UnknownOutcome ? cause.status : failed ? undefined : status;
  return new UnknownOutcome(failed?.message ?? reasonOf(cause), known, request, { received });
}

function connectionError(cause: unknown): ConnectionFailed | undefined {
  if (cause instanceof ConnectionFailed) return cause;
  const code = codeOf(cause);
  if (!brokenBodyCodes.includes(code)) return undefined;
  return new ConnectionFailed("the connection broke in the middle of the response", { code, sent: true });
}

const brokenBodyCodes = ["ECONNRESET", "EPIPE", "ETIMEDOUT", "ERR_STREAM_PREMATURE_CLOSE"];
