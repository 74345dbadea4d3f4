import { UsageError } from "./errors.ts";
import { fitsHeader } from "./urls.ts";

/** The variable that names the file with the token for the controls of a served sandbox. */
export const tokenFileVariable = "GPUCTL_SANDBOX_TOKEN_FILE";

const minLength = 16;

/**
 * Returns the token in the text of a file. With the token, other machines can use the controls of a served sandbox.
 * Throws a `UsageError` that names `source` if the token is too short or cannot be sent in a header.
 */
export function controlToken(text: string, source: string): string {
  const token = text.trim();
  if (token.length >= minLength && fitsHeader(token)) return token;
  throw new UsageError(
    `${source} must name a file with a token of at least ${minLength} letters, digits and symbols, without spaces`,
    { hint: "Create one with `openssl rand -hex 32 > FILE`." },
  );
}
