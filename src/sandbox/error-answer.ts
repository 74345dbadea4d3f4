import type { Context } from "hono";
import { type ErrorBody, errors } from "../contract/errors.ts";
import { Refusal } from "./refusal.ts";

/** The documented body and status of a refusal; anything else that was thrown is a failure of the server, told to nobody. */
export function errorAnswer(http: Context, error: unknown): Response {
  const { code, issues } = error instanceof Refusal ? error : new Refusal("INTERNAL_SERVER_ERROR");
  const { status, message } = errors[code];
  return http.json({ code, message, issues: [...issues] } satisfies ErrorBody, status);
}

/** For a body over the limit, which the service documents no error for. */
export const tooLarge = (http: Context): Response =>
  http.json(
    { code: "PAYLOAD_TOO_LARGE", message: "Request body is too large", issues: [] } satisfies ErrorBody,
    413,
  );
