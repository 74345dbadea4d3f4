import type { Issue } from "../contract/check/check.ts";
import { NotFound as MissingRental, UsageError } from "../core/errors.ts";
import { NotServed, ServiceError } from "../core/service-errors.ts";
import { sentence } from "../core/text.ts";

/** 400 or 422: the service rejected the input; `issues` say why, if the service gives reasons. */
export class BadRequest extends ServiceError {
  override readonly name = "BadRequest";
}

/** 401: the key is missing, unknown or revoked. */
export class Unauthorized extends ServiceError {
  override readonly name = "Unauthorized";
}

/** 403: the key does not permit the operation. */
export class Forbidden extends ServiceError {
  override readonly name = "Forbidden";
}

/** 404 or 410: the service has no such resource, or no such path. */
export class NotFound extends ServiceError {
  override readonly name = "NotFound";
}

/** 409: the request conflicts with the state of the service, such as a limit of the account. */
export class Conflict extends ServiceError {
  override readonly name = "Conflict";
}

/** 429: too many requests. `retryAfter` is how many milliseconds to wait, if the service says how long. */
export class RateLimited extends ServiceError {
  override readonly name = "RateLimited";
}

/** 5xx: the service failed to handle a read. A write that fails like this is an `UnknownOutcome`. */
export class ServerError extends ServiceError {
  override readonly name = "ServerError";
}

const byStatus = {
  400: BadRequest,
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  409: Conflict,
  410: NotFound,
  422: BadRequest,
  429: RateLimited,
} as const;

/**
 * An input is invalid, for example because a value is outside the documented limits. `issues` say where and why. The
 * request was not sent.
 */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly issues: readonly Issue[];
  constructor(operation: string, issues: readonly Issue[]) {
    const messages = issues.map(({ path, message }) =>
      sentence({ flag: path.join(".") || "the input", message }),
    );
    super(`${operation}: ${messages.join("; ")}`);
    this.issues = issues;
  }
}

/** The rental does not exist, or has ended. */
export class RentalGone extends Error {
  override readonly name = "RentalGone";
}

/** Converts an error of a call to the one that the library throws. A `ServiceError` gets the class for its status. */
export function libraryError(error: unknown, operation: string): unknown {
  if (error instanceof MissingRental) return new RentalGone(error.message);
  if (error instanceof UsageError) return new InvalidInput(operation, [{ path: [], message: error.message }]);
  if (!(error instanceof ServiceError)) return error;
  const hasOwnClass = error.constructor !== ServiceError && !(error instanceof NotServed);
  if (hasOwnClass) return error;
  const known = Object.entries(byStatus).find(([status]) => Number(status) === error.status)?.[1];
  const Kind = known ?? (error.status >= 500 ? ServerError : ServiceError);
  return new Kind({ ...error, message: error.message }, error.request, error.hint);
}
