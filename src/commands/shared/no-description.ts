import { AnswerTooLarge, NetworkError, ServiceError, UnreadableAnswer } from "../../client/errors.ts";
import { NoDescription } from "../errors.ts";

/** Why something is not known without the service's description: `NoDescription` for what can keep that away, else the
 * error as it is. `unknown` goes after "it is not known whether". */
export function noDescription(error: unknown, unknown: string, hint: string): unknown {
  const foreseen =
    error instanceof ServiceError ||
    error instanceof NetworkError ||
    error instanceof UnreadableAnswer ||
    error instanceof AnswerTooLarge;
  if (!foreseen) return error;
  return new NoDescription(
    `the service's description cannot be had (${error.message}), so it is not known whether ${unknown}`,
    hint,
    error,
  );
}
