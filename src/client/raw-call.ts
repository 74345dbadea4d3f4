import { attempt } from "./attempt.ts";
import type { CallOptions } from "./call-options.ts";
import { type RequestParts, rawRequest } from "./request.ts";
import { withRetries } from "./retry.ts";
import { inWhole, type WholeAnswer } from "./whole-answer.ts";

/** JSON if it can be had. */
export const anything = "application/json, */*";

const readWhole = inWhole((answer) => ({ value: answer }));

/** A request of plain values in, its whole answer out, whatever it holds. One may be held to less, as a call may. */
export type RawCall = (
  parts: RequestParts,
  options?: Partial<Pick<CallOptions, "retries" | "timeout">>,
) => Promise<WholeAnswer>;

/** Sends a request that the contract need not know. A read is tried again, anything else sent once. Throws what `call` throws. */
export function rawCall(parts: RequestParts, options: CallOptions): Promise<WholeAnswer> {
  const request = rawRequest(parts, options.target, anything);
  return withRetries(() => attempt(request, parts.host, readWhole, options), options);
}
