import { codeOf, reasonOf } from "../core/errors.ts";
import { asList, isNestedBeyond, isRecord, parseJson } from "../core/json.ts";
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
}

/** The error for a failed response. Only a refusal (4xx) that can be read shows that a write had no effect. */
export function responseError(response: FailedResponse, request: WireRequest): Error {
  const { status, text, isComplete, location, retryAfter } = response;
  const failure = readFailure(status, keyRedactor(request)(text));
  const redirects = isRedirect(status) && location !== null;
  const message = redirects ? redirectMessage(location, request) : failure.message;
  const isRefusal =
    status >= 400 && status < 500 && isComplete && !isNestedBeyond(parseJson(text), maxLevels);
  if (isRefusal || isRead(request)) return new ServiceError({ ...failure, message, retryAfter }, request);
  const reason = redirects ? message : `the service responded ${status}: ${message}`;
  return new UnknownOutcome(reason, status, request);
}

/** Explains why a redirect was not followed. Shows its target without the query, which may hold secrets. */
function redirectMessage(location: string, request: WireRequest): string {
  const from = new URL(request.url);
  if (!URL.canParse(location, request.url)) return "the service redirects to an invalid URL";
  const to = new URL(location, from);
  const place = keyRedactor(request)(`${to.origin === "null" ? to.protocol : to.origin}${to.pathname}`);
  if (to.origin !== from.origin) {
    return `the service redirects to ${place}; the API key is not sent to another host, so the redirect was not followed`;
  }
  return isRead(request)
    ? `too many redirects, the last one to ${place}`
    : `the service redirects to ${place}; gpuctl does not follow redirects for ${request.method} requests`;
}

/** Base64 text this long is a picture or sound and is not shown. */
const base64 = /[\w+/]{64,}={0,2}/g;

/** The error for a successful response that cannot be read: a write may have taken effect. */
export function unreadableResponse(status: number, text: string, request: WireRequest): Error {
  const empty = text === "" || text.trim() === "null";
  const reason = empty
    ? `the service responded ${status} with an empty body`
    : `the response is not JSON: ${readFailure(status, keyRedactor(request)(text).replace(base64, "…")).message}`;
  return isRead(request)
    ? new InvalidResponse(reason, status, request)
    : new UnknownOutcome(reason, status, request);
}

/** A request whose response was not read to its end. */
interface UnfinishedRequest {
  readonly request: WireRequest;
  /** The status of the response, if one began. */
  readonly status?: number | undefined;
  /** What arrived of a response that is paid for. */
  readonly received?: Received | undefined;
}

/**
 * The error for a request without a complete response. The outcome of a write that was sent is unknown, whatever went
 * wrong. For a read, errors that are not about the connection are returned unchanged, and for a write those from before
 * it was sent.
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

/** The content of a failed response, independent of its format. */
interface Failure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly issues: readonly unknown[];
}

/** How many characters are shown of a response that is not JSON. */
const maxTextLength = 300;

/** JSON in a failed response that is nested more deeply than this is not processed. */
const maxLevels = 100;

/**
 * Reads the body of a failed response: the service's own `{code, message, issues}`, then the formats that inference
 * servers and proxies send, then plain text or HTML, truncated.
 */
export function readFailure(status: number, text: string): Failure {
  return {
    status,
    code: `HTTP_${status}`,
    issues: [],
    message: plainText(text),
    ...knownFormat(parseJson(text)),
  };
}

function knownFormat(body: unknown): Partial<Omit<Failure, "status">> {
  if (!isRecord(body) || isNestedBeyond(body, maxLevels)) return {};
  if (typeof body.code === "string" && typeof body.message === "string") {
    return { code: body.code, message: body.message, issues: asList(body.issues) };
  }
  if (isRecord(body.error)) return inferenceFailure(body.error);
  if (typeof body.error === "string") return { message: body.error };
  if (typeof body.message === "string") return inferenceFailure(body);
  if (Array.isArray(body.detail)) {
    return { message: "Invalid input data", issues: body.detail.map(issueOfDetail) };
  }
  if (typeof body.detail === "string") return { message: body.detail };
  return {};
}

/** `{message, type, param, code}`: the code may be a string, a number or null, in which case the type is used. */
function inferenceFailure(error: Readonly<Record<string, unknown>>): Partial<Omit<Failure, "status">> {
  const code = [error.code, error.type].find((part) => typeof part === "string" || typeof part === "number");
  return {
    message: typeof error.message === "string" ? error.message : JSON.stringify(error),
    ...(code !== undefined && { code: String(code) }),
    ...(typeof error.param === "string" && {
      issues: [{ path: error.param.split("."), message: error.message }],
    }),
  };
}

/** `{loc, msg, type}` as `{path, message}`; `loc` starts with the part of the request. */
function issueOfDetail(detail: unknown): unknown {
  if (!isRecord(detail) || !Array.isArray(detail.loc)) return detail;
  const [part, ...rest] = detail.loc;
  const path = part === "body" || part === "query" ? rest : detail.loc;
  return { path, message: detail.msg };
}

function plainText(text: string): string {
  const visible = text
    .replace(/<(script|style)[\s\S]*?(?:<\/\1>|$)/gi, " ")
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  if (visible === "") return "empty response body";
  return visible.length > maxTextLength ? `${visible.slice(0, maxTextLength)}…` : visible;
}
