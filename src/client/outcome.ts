import { TimedOut } from "./deadline.ts";
import {
  ConnectionFailed,
  NetworkError,
  type RequestLine,
  ServiceError,
  UnknownOutcome,
  UnreadableAnswer,
} from "./errors.ts";
import { readFailure } from "./failure.ts";
import { isRead, type WireRequest, withoutKey } from "./request.ts";

/**
 * What an answer that is no success means; `location` is where it points to. A 5xx to a write says nothing about what
 * happened.
 */
export function failedAnswer(
  status: number,
  text: string,
  request: WireRequest,
  location: string | null = null,
): Error {
  const failure = readFailure(status, withoutKey(text, request));
  const line = lineOf(request);
  if (status >= 300 && status < 400 && location !== null) {
    return new ServiceError({ ...failure, message: notFollowed(location, request) }, line);
  }
  if (status >= 500 && !isRead(request)) {
    return new UnknownOutcome(`the service answered ${status} ${failure.message}`, status, line);
  }
  return new ServiceError(failure, line);
}

/** Why a redirect was not followed. Where it leads is told without what may be secret in it. */
function notFollowed(location: string, request: WireRequest): string {
  const from = new URL(request.url);
  if (!URL.canParse(location, request.url)) return "the service redirects to something that is no address";
  const to = new URL(location, from);
  const place = withoutKey(`${to.origin === "null" ? to.protocol : to.origin}${to.pathname}`, request);
  if (to.origin !== from.origin) {
    return `the service redirects to ${place}, which is not followed: the key goes to no other host`;
  }
  return isRead(request)
    ? `the service redirects in a circle, at last to ${place}`
    : `the service redirects to ${place}, which is not followed: what may change something is sent once`;
}

/** What is as long is a picture or speech, and nothing to read. */
const base64 = /[\w+/]{64,}={0,2}/g;

/** What a success that cannot be read means: a write happened, or not; a read did not work. */
export function unreadable(status: number, text: string, request: WireRequest): Error {
  const empty = text === "" || text.trim() === "null";
  const reason = empty
    ? `the service answered ${status} with nothing in it`
    : `the answer is not JSON: ${readFailure(status, withoutKey(text.replace(base64, "…"), request)).message}`;
  return isRead(request)
    ? new UnreadableAnswer(reason, status, lineOf(request))
    : new UnknownOutcome(reason, status, lineOf(request));
}

/** What it means that no whole answer came. Errors that are not about the connection come back as they are. */
export function failedSending(cause: unknown, request: RequestLine): unknown {
  const failed = connectionFailure(cause);
  if (failed === undefined) return cause;
  const { message, code, sent } = failed;
  return sent && !isRead(request)
    ? new UnknownOutcome(message, undefined, lineOf(request))
    : new NetworkError(message, code, lineOf(request));
}

interface ConnectionFailure {
  readonly message: string;
  readonly code: string;
  readonly sent: boolean;
}

function connectionFailure(cause: unknown): ConnectionFailure | undefined {
  if (cause instanceof ConnectionFailed) return cause;
  if (cause instanceof TimedOut) return { message: cause.message, code: "ETIMEDOUT", sent: true };
  if (
    cause instanceof Error &&
    "code" in cause &&
    typeof cause.code === "string" &&
    brokenBody.has(cause.code)
  ) {
    return { message: "the connection broke in the middle of the answer", code: cause.code, sent: true };
  }
  return undefined;
}

const brokenBody: ReadonlySet<string> = new Set([
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

const lineOf = ({ method, url }: RequestLine): RequestLine => ({ method, url });
