import type { ExpectationResult } from "./sandbox.ts";
import type { Received, RequestLine } from "./service-errors.ts";

/** The message of anything that was thrown. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The hint of an error; empty if it has none. */
export const hintOf = (cause: unknown): string =>
  cause instanceof Error && "hint" in cause && typeof cause.hint === "string" ? cause.hint : "";

/**
 * Invalid input from the user, or a file that cannot be used. Nothing was changed or charged, with one exception: if
 * another program changes the output of a running batch, requests have already been sent. In `issues`, `flag` names a
 * flag or argument: `--gpus`, `RENTAL`.
 */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly issues: readonly { readonly flag: string; readonly message: string }[];
  readonly hint: string | undefined;
  constructor(
    message: string,
    details: { issues?: readonly { flag: string; message: string }[]; hint?: string | undefined } = {},
  ) {
    super(message);
    this.issues = details.issues ?? [];
    this.hint = details.hint;
  }
}

/** An error with a hint: what the user can do about it. */
class WithHint extends Error {
  readonly hint: string;
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/**
 * A spending limit would be exceeded, or cannot be checked because a cost is unknown. The request that would spend was
 * not sent. If `hint` is not set, the error report says that nothing was sent.
 */
export class BudgetExceeded extends Error {
  override readonly name = "BudgetExceeded";
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * The resource does not exist. The error report names the last request, unless `request` is null. Set `request` to null
 * for a resource that does not belong to the service.
 */
export class NotFound extends Error {
  override readonly name = "NotFound";
  readonly request: null | undefined;
  readonly hint: string | undefined;
  constructor(message: string, details: { request?: null; hint?: string } = {}) {
    super(message);
    this.request = details.request;
    this.hint = details.hint;
  }
}

/** The service's description could not be fetched, so it is not known which operations the service offers. */
export class NoDescription extends WithHint {
  override readonly name = "NoDescription";
  readonly status: number | undefined;
  readonly request: RequestLine | undefined;
  constructor(
    message: string,
    hint: string,
    cause: Error & { readonly status?: number; readonly request?: RequestLine },
  ) {
    super(message, hint, { cause });
    this.status = cause.status;
    this.request = cause.request;
  }
}

/**
 * The service lists no operation that can be used, or its lists do not show which operation to use. In the library,
 * also: the description could not be fetched. The operation was not sent.
 */
export class NotOffered extends WithHint {
  override readonly name = "NotOffered";
}

/** An item that failed, out of several items. */
export interface FailedItem {
  /** Identifies the item, for example by its ID. */
  readonly name: string;
  readonly error: unknown;
}

/**
 * One of several items was not tried, because it would fail in the same way as an earlier item. Nothing was sent for
 * this item.
 */
export class NotTried extends Error {
  override readonly name = "NotTried";
  constructor(failed: string, cause: unknown) {
    super(`not tried, because ${failed} failed`, { cause });
  }
}

/** Some or all of several items failed. */
export class SomeFailed extends Error {
  override readonly name = "SomeFailed";
  readonly failures: readonly FailedItem[];
  /** How many items succeeded. */
  readonly succeeded: number;
  readonly hint: string | undefined;
  constructor(
    message: string,
    details: { failures: readonly FailedItem[]; succeeded: number; hint?: string },
  ) {
    super(message);
    this.failures = details.failures;
    this.succeeded = details.succeeded;
    this.hint = details.hint;
  }
}

/** Some lines of a batch failed, or their outcome is unknown. The user has to check them. */
export class BatchNeedsLook extends WithHint {
  override readonly name = "BatchNeedsLook";
}

/** A batch ended before its last line. The remaining lines can be sent safely. */
export class BatchUnfinished extends WithHint {
  override readonly name = "BatchUnfinished";
}

/** Another process uses a file that this process needs, or has changed it. */
export class InUse extends WithHint {
  override readonly name = "InUse";
}

/**
 * Part of a result is missing. The error report shows the message of the cause. The hint of the report starts with
 * `printed`, which says what was printed.
 */
export class Incomplete extends Error {
  override readonly name = "Incomplete";
  constructor(printed: string, cause: unknown) {
    super(printed, { cause });
  }
}

/** A read succeeded, but acting on its response could be wrong. */
export class UnexpectedResponse extends WithHint {
  override readonly name = "UnexpectedResponse";
}

/** A wait timed out. With `request: null`, the error report does not name the last request. */
export class WaitedTooLong extends WithHint {
  override readonly name = "WaitedTooLong";
  readonly request: null | undefined;
  constructor(message: string, hint: string, details: { request?: null } = {}) {
    super(message, hint);
    this.request = details.request;
  }
}

/** The resource is not in the required state yet. */
export class NotReady extends WithHint {
  override readonly name = "NotReady";
}

/** Some checks of `gpuctl doctor` failed; `issues` holds all checks. */
export class Unhealthy extends Error {
  override readonly name = "Unhealthy";
  readonly issues: readonly object[];
  constructor(issues: readonly object[], failed: number) {
    super(`${failed} of ${issues.length} checks failed`);
    this.issues = issues;
  }
}

/**
 * The sandbox did not receive the expected requests. `issues` lists the closest requests, or the latest ones if too
 * many match.
 */
export class ExpectationFailed extends Error {
  override readonly name = "ExpectationFailed";
  readonly issues: readonly { readonly path: string; readonly message: string }[];
  constructor({ expected, count, logged, requests }: ExpectationResult) {
    super(`expected ${expected}, but ${count} of ${logged} logged requests match`);
    this.issues = requests.map(({ number, text }) => ({ path: `request ${number}`, message: text }));
  }
}

/** The result could not be printed. `code` is the Node.js error code, such as `EPIPE`, if there is one. */
export class CannotPrint extends Error {
  override readonly name = "CannotPrint";
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** The rental has failed, or the job on it cannot continue. */
export class RentalFailed extends Error {
  override readonly name = "RentalFailed";
  readonly hint: string | undefined;
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A rental could not be ended, or it is not known whether it has ended. The hint may say how to end it. */
export class StillBilled extends WithHint {
  override readonly name = "StillBilled";
}

/** A job reached its time limit or its cost limit and was stopped. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
}

/** Results of a job could not be copied from the rental. */
export class NotFetched extends Error {
  override readonly name = "NotFetched";
}

/** The rental of a job cannot be reached, or refuses the login. */
export class RentalUnreachable extends WithHint {
  override readonly name = "RentalUnreachable";
}

/** The response has no usable result: it is empty or cannot be decoded. `received` is its body, if it was paid for. */
export class EmptyResult extends Error {
  override readonly name = "EmptyResult";
  readonly received: Received | undefined;
  constructor(message: string, received?: Received) {
    super(message);
    this.received = received;
  }
}

/** A complete answer does not match the requested schema. `issues` says which parts do not match. */
export class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
  readonly issues: readonly object[];
  readonly hint: string | undefined;
  constructor(message: string, issues: readonly object[], hint?: string) {
    super(message);
    this.issues = issues;
    this.hint = hint;
  }
}

/** A result that was paid for is incomplete. The message says where it was saved. */
export class ResultTruncated extends Error {
  override readonly name = "ResultTruncated";
}

/**
 * An error about a result that was paid for. If `hint` is not set, the error report shows its standard hint for this
 * kind of error, if there is one.
 */
class OfPaidResult extends Error {
  readonly hint: string | undefined;
  constructor(message: string, { hint, ...options }: ErrorOptions & { readonly hint?: string } = {}) {
    super(message, options);
    this.hint = hint;
  }
}

/**
 * A result that was paid for could not be stored in the intended place. The message, or the hint of the error report,
 * says where it was stored instead.
 */
export class StoredElsewhere extends OfPaidResult {
  override readonly name = "StoredElsewhere";
}

/** A result that was paid for could not be stored anywhere. */
export class ResultLost extends OfPaidResult {
  override readonly name = "ResultLost";
}

/** An answer was printed but could not be stored in its session. */
export class AnswerNotStored extends Error {
  override readonly name = "AnswerNotStored";
}

/** A rental was created, changed or ended, but its lease could not be stored or removed. */
export class LeaseNotStored extends WithHint {
  override readonly name = "LeaseNotStored";
}

/** It is not known which rental a lease is for, because it is not known whether the rental was created. */
export class LeaseUnclear extends WithHint {
  override readonly name = "LeaseUnclear";
}

/** Another process took over a lock that this process held, because this process was suspended or got no CPU time. */
export class LockLost extends Error {
  override readonly name = "LockLost";
}

/** A recording was saved, but could not be played. */
export class NotPlayed extends Error {
  override readonly name = "NotPlayed";
}

/** Something that gpuctl needs on this machine is missing or cannot be used. */
export class Unavailable extends WithHint {
  override readonly name = "Unavailable";
}

/** The command of `--notify` failed. */
export class NotNotified extends Error {
  override readonly name = "NotNotified";
}

/** A program that the user named failed or timed out. */
export class ProgramFailed extends Error {
  override readonly name = "ProgramFailed";
}

export class ProgramTimedOut extends ProgramFailed {}

/** The user declined, or interrupted gpuctl, for example with Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor(message = "interrupted") {
    super(message);
  }
}

/** What is wrong with a path that should be a file, as text for the user. */
export const folderReason = "it is a folder";

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EFBIG: "a file of this size is not allowed there",
  EAGAIN: "not all of its data is available at the moment",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  EISDIR: folderReason,
  ENOENT: "the folder does not exist; create it first",
  ENOTDIR: "part of the path is a file",
  EEXIST: "a file with this name already exists",
  ENAMETOOLONG: "the name is too long",
  EINVAL: "the file name is not supported here",
  ELOOP: "too many levels of symbolic links",
  EMFILE: "too many files are open",
  EIO: "input/output error",
  EBADF: "it is not open for reading or writing",
  ERR_INVALID_ARG_VALUE: "the name contains a NUL character",
};

/** The Node.js code of an error, such as `EEXIST`; empty if it has none. */
export function codeOf(error: unknown): string {
  // In Jest, errors of Node.js are not instances of the `Error` of this code.
  const isObject = typeof error === "object" && error !== null;
  return isObject && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** A file could not be saved, or the path at which to save it cannot be used. */
export class SaveFailed extends Error {
  override readonly name = "SaveFailed";
  /** The file or folder that caused the error. */
  readonly path: string;
  /** What is wrong with the file or folder, as text for the user. */
  readonly reason: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`cannot save ${path}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

/** The error for a file that cannot be read. `from` is the flag or the argument that names the file. */
export function readFailed(from: string, path: string, error: unknown, hint?: string): UsageError {
  const reason = codeOf(error) === "ENOENT" ? "no such file" : diskReason(error);
  return new UsageError(`${from} ${path}: ${reason}`, { hint });
}

/** A file of a batch could not be read or written. Requests may have been sent already. */
export class DiskFailed extends WithHint {
  override readonly name = "DiskFailed";
  /** What is wrong, as text for the user. */
  readonly reason: string;

  constructor(action: "read" | "write", path: string, error: unknown) {
    const reason = diskReason(error);
    super(`cannot ${action} ${path}: ${reason}`, "Run the same command line again.", { cause: error });
    this.reason = reason;
  }
}

/** What is wrong with a file or a disk, as text for the user. */
export const diskReason = (error: unknown): string => reasons[codeOf(error)] ?? reasonOf(error);

/** Whether an error is the failure of a system call, such as `open`. */
export const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && codeOf(error) !== "";

/** Whether a file could not be saved because the disk is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof SaveFailed && ["ENOSPC", "EDQUOT"].includes(codeOf(error.cause));

/** Wraps the failure of a call on `path` in a {@link SaveFailed}, unless it already is one. */
export function saveFailed(path: string, error: unknown): SaveFailed {
  if (error instanceof SaveFailed) return error;
  return new SaveFailed(path, diskReason(error), { cause: error });
}
