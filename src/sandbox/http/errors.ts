import { type ErrorBody, errors } from "../../contract/errors.ts";
import { codeOf, reasonOf } from "../../core/errors.ts";
import { ApiError, payloadTooLarge } from "../errors.ts";
import { isInferencePath, withCommonError } from "../inference-errors.ts";
import { StoreError } from "../store/store.ts";
import { BodyTooLarge, type Exchange, PlainResponse } from "./exchange.ts";

/**
 * Returns the status and the body for an error. An unexpected error becomes a 500, with details only if the user can
 * fix the cause.
 */
export function sentError(error: unknown) {
  if (error instanceof BodyTooLarge) return tooLarge;
  const { code, issues } = error instanceof ApiError ? error : new ApiError("INTERNAL_SERVER_ERROR");
  const { status, message } = errors[code];
  return { status, body: { code, message: problemOf(error) ?? message, issues: [...issues] } };
}

/** The cause of an error, if the user can fix it. Names no paths, because the client may be on another machine. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof StoreError && error.problem !== "unavailable") {
    return "the sandbox's state is damaged: `gpuctl sandbox reset` moves its file aside and starts with a new one";
  }
  const cause = error instanceof StoreError ? error.cause : error;
  const code = codeOf(cause);
  if (code === "ERR_SQLITE_ERROR") return `the sandbox's state cannot be read or stored: ${reasonOf(cause)}`;
  // Parts of the program are loaded only when a request needs them.
  return missingModule.has(code)
    ? "a part of gpuctl is missing, perhaps because gpuctl was updated or removed: serve the sandbox again"
    : undefined;
}

/** The codes of Node.js for a module that does not exist. */
const missingModule: ReadonlySet<string> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

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
