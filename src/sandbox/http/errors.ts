import { type ErrorBody, errors } from "../../contract/errors.ts";
import { codeOf, reasonOf } from "../../core/errors.ts";
import { ApiError, payloadTooLarge } from "../errors.ts";
import { isInferencePath, withCommonError } from "../inference-errors.ts";
import { StoreError } from "../store/store.ts";
import { BodyTooLarge, type Exchange, PlainResponse } from "./exchange.ts";

/**
 * Returns the status and the body for an error. An unexpected error becomes a 500 without details, unless the state
 * cannot be used: then the user can repair it.
 */
export function sentError(error: unknown) {
  if (error instanceof BodyTooLarge) return tooLarge;
  const { code, issues } = error instanceof ApiError ? error : new ApiError("INTERNAL_SERVER_ERROR");
  const { status, message } = errors[code];
  return { status, body: { code, message: stateProblem(error) ?? message, issues: [...issues] } };
}

/** Why the state cannot be used, without the path of its file, which other machines need not know. */
function stateProblem(error: unknown): string | undefined {
  if (error instanceof StoreError) {
    return "the sandbox's state is damaged: `gpuctl sandbox reset` moves its file aside and starts with a new one";
  }
  return codeOf(error) === "ERR_SQLITE_ERROR"
    ? `the sandbox's state cannot be read or stored: ${reasonOf(error)}`
    : undefined;
}

export const tooLarge = {
  status: payloadTooLarge.status,
  body: { code: payloadTooLarge.code, message: payloadTooLarge.message, issues: [] },
};

/** Returns an error response. Stores the error in the exchange, for the request log. */
export function errorResponse(
  exchange: Exchange,
  body: ErrorBody,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): PlainResponse {
  exchange.problem = body;
  return PlainResponse.json(errorBodyFor(exchange, body, status), { status, headers });
}

/** The body of an error as sent. On inference paths, it also has the error in the common chat-completions format. */
export const errorBodyFor = ({ path }: Exchange, body: ErrorBody, status: number): ErrorBody =>
  isInferencePath(path) ? withCommonError(body, status) : body;
