import type { Context } from "hono";
import { type ErrorBody, errors } from "../contract/errors.ts";
import { Refusal } from "./refusal.ts";

/** The documented body and status of a refusal; anything else that was thrown is a failure of the server, told to nobody. */
export function errorAnswer(http: Context, error: unknown): Response {
  const { code, issues } = error instanceof Refusal ? error : new Refusal("INTERNAL_SERVER_ERROR");
  const { status, message } = errors[code];
  return problem(http, { code, message, issues: [...issues] }, status);
}

/** For a body over the limit, which the service documents no error for. */
export const payloadTooLarge = {
  status: 413,
  code: "PAYLOAD_TOO_LARGE",
  message: "Request body is too large",
} as const;

export function tooLarge(http: Context): Response {
  const { status, ...error } = payloadTooLarge;
  return problem(http, { ...error, issues: [] }, status);
}

/** An error that is told to the caller, and to the log. */
function problem(http: Context, body: ErrorBody, status: 400 | 401 | 403 | 404 | 413 | 500): Response {
  http.set("problem", body);
  return http.json(body, status);
}
