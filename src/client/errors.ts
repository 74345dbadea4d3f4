/** What was asked of the service; no credential in it. */
export interface RequestLine {
  readonly method: string;
  readonly url: string;
}

/** No connection, or it broke. `sent` says whether a byte of the request may have left. */
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

/**
 * The service answered with a failure that it can be held to: everything but the doubtful ends of a write. `hint` is
 * what to do about it, where that is known.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly code: string;
  readonly issues: readonly unknown[];
  readonly request: RequestLine;
  readonly hint: string | undefined;
  constructor(
    failure: { status: number; code: string; message: string; issues: readonly unknown[] },
    request: RequestLine,
    hint?: string,
  ) {
    super(failure.message);
    this.status = failure.status;
    this.code = failure.code;
    this.issues = failure.issues;
    this.request = request;
    this.hint = hint;
  }
}

/** The network failed or time ran out, and trying again is safe. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  readonly code: string;
  readonly request: RequestLine;
  constructor(message: string, code: string, request: RequestLine) {
    super(message);
    this.code = code;
    this.request = request;
  }
}

/** An answer stopped in the middle. What came of it is all there is; it was asked and perhaps paid for. */
export class AnswerCut extends Error {
  override readonly name = "AnswerCut";
  constructor(reason: string) {
    super(`the answer was cut: ${reason}`);
  }
}

/** An answer was larger than what was asked for can be; the rest of it was not read. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
  constructor(bytes: number) {
    super(`the answer is larger than ${bytes} bytes`);
  }
}

/** A read was answered, but not with what the service promises. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
  readonly status: number;
  readonly request: RequestLine;
  constructor(message: string, status: number, request: RequestLine) {
    super(message);
    this.status = status;
    this.request = request;
  }
}

/**
 * A write was sent and nobody can say whether it took effect. It must not be sent again before someone has looked.
 * `finding` is what a look at the service showed.
 */
export class UnknownOutcome extends Error {
  override readonly name = "UnknownOutcome";
  readonly status: number | undefined;
  readonly request: RequestLine;
  readonly finding: string | undefined;
  constructor(reason: string, status: number | undefined, request: RequestLine, finding?: string) {
    super(reason);
    this.status = status;
    this.request = request;
    this.finding = finding;
  }

  withFinding(finding: string): UnknownOutcome {
    return new UnknownOutcome(this.message, this.status, this.request, finding);
  }
}

/** No key that can be used was given for an operation that needs one. Nothing was sent. */
export class NoCredential extends Error {
  override readonly name = "NoCredential";
  constructor(message = "no API key") {
    super(message);
  }
}

/** No base URL was given. Nothing was sent. */
export class NoBaseUrl extends Error {
  override readonly name = "NoBaseUrl";
  constructor() {
    super("no service to talk to: no base URL is set");
  }
}

/** The key would have travelled in clear text. Nothing was sent. */
export class InsecureUrl extends Error {
  override readonly name = "InsecureUrl";
  readonly url: string;
  constructor(url: string) {
    super(`refusing to send an API key over plain http to ${url}`);
    this.url = url;
  }
}
