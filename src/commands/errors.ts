import type { RequestLine } from "../client/errors.ts";

/** Why something failed, in words, whatever was thrown. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** What the user typed cannot be used. Nothing was sent. `flag` names the place, such as `--gpus` or `RENTAL`. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly issues: readonly { readonly flag: string; readonly message: string }[];
  readonly hint: string | undefined;
  constructor(
    message: string,
    details: { issues?: readonly { flag: string; message: string }[]; hint?: string } = {},
  ) {
    super(message);
    this.issues = details.issues ?? [];
    this.hint = details.hint;
  }
}

/** A failure of which there is more to say than a message: what to do about it. */
class WithHint extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** A spending limit says no. Nothing was sent. */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
}

/** There is no such thing. `request` is null when it is not the last answer that said so. */
export class NotFound extends Error {
  override readonly name = "NotFound";
  readonly request: null | undefined;
  constructor(message: string, details: { request?: null } = {}) {
    super(message);
    this.request = details.request;
  }
}

/** The service's description could not be had, for the reason that is the cause, so nobody knows what it offers. */
export class NoDescription extends Error {
  override readonly name = "NoDescription";
  readonly hint: string;
  readonly status: number | undefined;
  readonly request: RequestLine | undefined;
  constructor(
    message: string,
    hint: string,
    cause: Error & { readonly status?: number; readonly request?: RequestLine },
  ) {
    super(message, { cause });
    this.hint = hint;
    this.status = cause.status;
    this.request = cause.request;
  }
}

/** The service does not list the operation. Nothing was sent. */
export class NotOffered extends WithHint {
  override readonly name = "NotOffered";
}

/** A wait ran out of time. */
export class WaitedTooLong extends WithHint {
  override readonly name = "WaitedTooLong";
}

/** Something is on its way and cannot be used yet. */
export class NotReady extends WithHint {
  override readonly name = "NotReady";
}

/** The installation was checked, and something is wrong with it; `issues` are all the checks. */
export class Unhealthy extends Error {
  override readonly name = "Unhealthy";
  readonly issues: readonly object[];
  constructor(issues: readonly object[], failed: number) {
    super(`${failed} of ${issues.length} checks failed`);
    this.issues = issues;
  }
}

/** The result is there, but stdout does not take it. */
export class CannotPrint extends Error {
  override readonly name = "CannotPrint";
}

/** The service could not bring the rental up. */
export class RentalFailed extends Error {
  override readonly name = "RentalFailed";
}

/** The service's answer was well-formed but holds nothing that can be used, such as an empty recording. */
export class UselessAnswer extends Error {
  override readonly name = "UselessAnswer";
}

/** A result that was paid for could be saved nowhere. */
export class ResultLost extends Error {
  override readonly name = "ResultLost";
}
