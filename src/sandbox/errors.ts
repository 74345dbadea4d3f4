import { STATUS_CODES } from "node:http";
import type { Issue } from "../contract/check/check.ts";
import { type ErrorBody, type ErrorCode, errors } from "../contract/errors.ts";
import { issueText } from "../core/text.ts";

/** Thrown while an operation is handled. The client gets the documented status and body of the error's code. */
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

/**
 * Rewords issues of input that does not belong to an operation: in their messages, `owner` (such as `a fault`) replaces
 * `this operation`.
 */
export const issuesFor = (owner: string, issues: readonly Issue[]): readonly Issue[] =>
  issues.map(({ path, message }) => ({ path, message: message.replace("this operation", owner) }));

/** Returns a list with one issue if `wrong`, and otherwise an empty list. */
export const issueIf = (wrong: boolean, field: string, message: string): readonly Issue[] =>
  wrong ? [issue(field, message)] : [];

/** @throws ApiError when there are issues */
export function throwIfInvalid(...issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ApiError("BAD_REQUEST", issues);
}

/** Returns the value. @throws ApiError with an issue of the field when the value is undefined */
export function required<Value>(value: Value | undefined, field: string, message: string): Value {
  if (value === undefined) throw new ApiError("BAD_REQUEST", [issue(field, message)]);
  return value;
}

/** The error for a body that is too large. The service documents no such error. */
export const payloadTooLarge = {
  status: 413,
  code: "PAYLOAD_TOO_LARGE",
  message: "Request body is too large",
} as const;

/**
 * Returns the body of the documented error that has this status. If there is none, derives a body from the name of the
 * status.
 */
export function errorBodyOf(status: number): ErrorBody {
  const known = Object.entries(errors).find(([, error]) => error.status === status);
  if (known) return { code: known[0], message: known[1].message, issues: [] };
  const [first = "", ...rest] = (STATUS_CODES[status] ?? `Status ${status}`).split(" ");
  const message = [first, ...rest.map((word) => word.toLowerCase())].join(" ");
  return { code: message.toUpperCase().replaceAll(/\W+/g, "_"), message, issues: [] };
}

/** A request to the sandbox's controls was invalid; nothing was changed. `issues` names the invalid fields, if any. */
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
