/** A request without its credential. */
export interface RequestLine {
  readonly method: string;
  readonly url: string;
}

/** The body of a response that was paid for, or the part of it that arrived. */
export interface Received {
  readonly bytes: Uint8Array;
  readonly complete: boolean;
}

/** What is kept of a failed response in addition to its error. */
export interface FailedReply {
  readonly status: number;
  /** The service's ID of the request, from a response header. */
  readonly requestId: string | null;
  /** Milliseconds that the service asks to wait before the next request. */
  readonly retryAfter: number | undefined;
  /** The body, or the start of it. */
  readonly text: string;
}

/** Whether a request changes nothing, so that it is safe to send again and to redirect. */
export const isRead = ({ method }: Pick<RequestLine, "method">): boolean =>
  method === "GET" || method === "HEAD";

/** Whether a status redirects to another URL. 304 does not: it is the response to a conditional request. */
export const isRedirect = (status = 0): boolean => [300, 301, 302, 303, 307, 308].includes(status);

/** The connection failed or broke. `sent` says whether any part of the request may have been sent. */
export class ConnectionFailed extends Error {
  override readonly name = "ConnectionFailed";
  readonly code: string;
  readonly sent: boolean;
  constructor(message: string, details: { code: string; sent: boolean; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.sent = details.sent;
  }
}

/** An error of a request. It keeps the request's method and URL, but not its headers and body. */
class RequestError extends Error {
  readonly request: RequestLine;
  constructor(message: string, { method, url }: RequestLine) {
    super(message);
    this.request = { method, url };
  }
}

/**
 * The service responded with an error. If it is not known whether a write took effect, the error is an
 * `UnknownOutcome` instead. `hint` says what the user can do, if that is known.
 */
export class ServiceError extends RequestError {
  override readonly name: string = "ServiceError";
  readonly status: number;
  readonly code: string;
  readonly issues: readonly unknown[];
  /** Milliseconds that the service asks to wait before the next request. */
  readonly retryAfter: number | undefined;
  readonly hint: string | undefined;
  readonly reply: FailedReply | undefined;
  constructor(
    failure: {
      status: number;
      code: string;
      message: string;
      issues: readonly unknown[];
      retryAfter?: number | undefined;
      reply?: FailedReply | undefined;
    },
    request: RequestLine,
    hint?: string,
  ) {
    super(failure.message, request);
    this.status = failure.status;
    this.code = failure.code;
    this.issues = failure.issues;
    this.retryAfter = failure.retryAfter;
    this.reply = failure.reply;
    this.hint = hint;
  }
}

/** The service does not serve an operation, and its description lists neither the operation nor its replacement. */
export class NotServed extends ServiceError {}

/** The network failed or the request timed out. It is safe to try again. */
export class NetworkError extends RequestError {
  override readonly name = "NetworkError";
  readonly code: string;
  constructor(message: string, code: string, request: RequestLine) {
    super(message, request);
    this.code = code;
  }
}

/**
 * A streamed response ended early. The part that arrived may have been charged for. `received` is that part, unless its
 * text was already passed on.
 */
export class StreamTruncated extends Error {
  override readonly name = "StreamTruncated";
  readonly reason: string;
  readonly received: Received | undefined;
  constructor(reason: string, received?: Received) {
    super(`the response was cut off: ${reason}`);
    this.reason = reason;
    this.received = received;
  }

  withoutResponse(): StreamTruncated {
    return new StreamTruncated(this.reason);
  }
}

/** A response exceeds the limit for its kind. The rest of it was not read, or none of it was parsed. */
export class ResponseTooLarge extends Error {
  override readonly name = "ResponseTooLarge";
  constructor(limit: number, what: "bytes" | "values" = "bytes") {
    super(`the response ${what === "bytes" ? "is larger than" : "has more than"} ${limit} ${what}`);
  }
}

/** A read succeeded, but its response is not what the service documents. */
export class InvalidResponse extends RequestError {
  override readonly name = "InvalidResponse";
  readonly status: number;
  constructor(message: string, status: number, request: RequestLine) {
    super(message, request);
    this.status = status;
  }
}

interface OutcomeDetails {
  readonly finding?: string;
  readonly received?: Received | undefined;
  readonly reply?: FailedReply | undefined;
  readonly issues?: readonly unknown[];
}

/**
 * A write was sent and may or may not have taken effect. Check the state of the service before you send it again.
 * `finding` is the result of such a check. `received` is what arrived of the response, if it was paid for. `issues` are
 * those of the service's error body.
 */
export class UnknownOutcome extends RequestError {
  override readonly name = "UnknownOutcome";
  readonly status: number | undefined;
  readonly finding: string | undefined;
  readonly received: Received | undefined;
  readonly reply: FailedReply | undefined;
  readonly issues: readonly unknown[];
  constructor(
    reason: string,
    status: number | undefined,
    request: RequestLine,
    { finding, received, reply, issues = [] }: OutcomeDetails = {},
  ) {
    super(reason, request);
    this.status = status;
    this.finding = finding;
    this.received = received;
    this.reply = reply;
    this.issues = issues;
  }

  withFinding(finding: string): UnknownOutcome {
    const { received, reply, issues } = this;
    return new UnknownOutcome(this.message, this.status, this.request, { finding, received, reply, issues });
  }
}

/**
 * The user interrupted a write that had been sent. It may have taken effect. `finding` says where to look. `received`
 * is what arrived of the response, if it was paid for.
 */
export class InterruptedWrite extends RequestError {
  override readonly name = "InterruptedWrite";
  readonly finding: string | undefined;
  readonly received: Received | undefined;
  constructor(request: RequestLine, received?: Received, finding?: string) {
    super("interrupted after the request was sent: it may have taken effect", request);
    this.finding = finding;
    this.received = received;
  }

  withFinding(finding: string): InterruptedWrite {
    return new InterruptedWrite(this.request, this.received, finding);
  }
}

/** An operation needs an API key, but there is no usable key. Nothing was sent. */
export class NoCredential extends Error {
  override readonly name = "NoCredential";
  constructor(message = "no API key") {
    super(message);
  }
}

/** The service rejected a key that was to be saved. Nothing was saved. */
export class KeyRejected extends Error {
  override readonly name = "KeyRejected";
}

/** No base URL is set. Nothing was sent. */
export class NoBaseUrl extends Error {
  override readonly name = "NoBaseUrl";
  constructor() {
    super("no base URL is set");
  }
}

/** The key would have been sent unencrypted. Nothing was sent. */
export class InsecureUrl extends Error {
  override readonly name = "InsecureUrl";
  readonly url: string;
  constructor(url: string) {
    super(`refusing to send an API key over plain http to ${url}`);
    this.url = url;
  }
}

/** Whether a later request may succeed, because the cause was the network, a rate limit or the service. */
export function isTemporary(error: unknown): error is Error {
  if (error instanceof ServiceError) {
    return error.status >= 500 || error.status === 429 || error.status === 408;
  }
  return error instanceof NetworkError || error instanceof InvalidResponse;
}
