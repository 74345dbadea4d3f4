import { STATUS_CODES } from "node:http";
import type { Context } from "hono";
import type { Issue } from "../contract/check/check.ts";
import { type ErrorBody, type ErrorCode, errors } from "../contract/errors.ts";
import { issueText } from "../core/text.ts";
import { isInferencePath, withCommonError } from "./inference-errors.ts";

/** Thrown while an operation is handled; sent as the documented status and body of its code. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly issues: readonly Issue[];

  constructor(code: ErrorCode, issues: readonly Issue[] = []) {
    super(code);
    this.code = code;
    this.issues = issues;
  }
}

export const issue = (field: string, message: string): Issue => ({ path: [field], message });

/** Rewords issues of an input that is not an operation's: `owner`, such as `a fault`, replaces `this operation`. */
export const issuesFor = (owner: string, issues: readonly Issue[]): readonly Issue[] =>
  issues.map(({ path, message }) => ({ path, message: message.replace("this operation", owner) }));

/** A list with one issue if `wrong`; empty otherwise. */
export const issueIf = (wrong: boolean, field: string, message: string): readonly Issue[] =>
  wrong ? [issue(field, message)] : [];

/** @throws ApiError when there are issues */
export function throwIfInvalid(...issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ApiError("BAD_REQUEST", issues);
}

/** Returns the value. @throws ApiError with an issue of the field when it is undefined */
export function required<Value>(value: Value | undefined, field: string, message: string): Value {
  if (value === undefined) throw new ApiError("BAD_REQUEST", [issue(field, message)]);
  return value;
}

/** The response for an error; one that is not an `ApiError` becomes a 500 without details. */
export function errorResponse(http: Context, error: unknown): Response {
  const { code, issues } = error instanceof ApiError ? error : new ApiError("INTERNAL_SERVER_ERROR");
  const { status, message } = errors[code];
  return send(http, { code, message, issues: [...issues] }, status);
}

/** The error for a body over the limit; the service documents none. */
export const payloadTooLarge = {
  status: 413,
  code: "PAYLOAD_TOO_LARGE",
  message: "Request body is too large",
} as const;

export function tooLarge(http: Context): Response {
  const { status, ...error } = payloadTooLarge;
  return send(http, { ...error, issues: [] }, status);
}

/** Sends an error, and stores it in the context for the request log. */
function send(http: Context, body: ErrorBody, status: 400 | 401 | 403 | 404 | 413 | 500): Response {
  http.set("problem", body);
  return http.json(errorBodyFor(http, body, status), status);
}

/** The body of an error as sent: on inference paths, also in the common chat-completions format. */
export const errorBodyFor = (http: Context, body: ErrorBody, status: number): ErrorBody =>
  isInferencePath(http.req.path) ? withCommonError(body, status) : body;

/** The documented error of a status; an undocumented status gets a code and a message derived from its name. */
export function errorBodyOf(status: number): ErrorBody {
  const known = Object.entries(errors).find(([, error]) => error.status === status);
  if (known) return { code: known[0], message: known[1].message, issues: [] };
  const [first = "", ...rest] = (STATUS_CODES[status] ?? `Status ${status}`).split(" ");
  const message = [first, ...rest.map((word) => word.toLowerCase())].join(" ");
  return { code: message.toUpperCase().replaceAll(/\W+/g, "_"), message, issues: [] };
}

/** A request to the sandbox's controls was invalid; nothing was changed. `issues` name the invalid fields. */
export class ControlRefused extends Error {
  override readonly name = "ControlRefused";
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], message = issues.map(issueText).join("; ")) {
    super(message);
    this.issues = issues;
  }
}

/** The error for one invalid field of a request to the controls. */
export const invalid = (field: string, message: string): ControlRefused =>
  new ControlRefused([issue(field, message)]);
