import type { Issue } from "../contract/check.ts";
import type { ErrorCode } from "../contract/errors.ts";

/** Thrown by a handler that cannot do what was asked; becomes the documented error body of its code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ErrorCode;
  readonly issues: readonly Issue[];

  constructor(code: ErrorCode, issues: readonly Issue[] = []) {
    super(code);
    this.code = code;
    this.issues = issues;
  }
}

export const issue = (field: string, message: string): Issue => ({ path: [field], message });

/** Refuses an input as invalid for the given reasons; with none it lets the caller go on. */
export function refuse(...issues: readonly Issue[]): void {
  if (issues.length > 0) throw new Refusal("BAD_REQUEST", issues);
}

/** A value that must exist, or the refusal that says what is wrong. */
export function required<Value>(value: Value | undefined, field: string, message: string): Value {
  if (value === undefined) throw new Refusal("BAD_REQUEST", [issue(field, message)]);
  return value;
}
