import { hasEnded, isEnding } from "../../../client/rentals/type.ts";
import type { Context } from "../../../command-kit/context.ts";
import { writeAndCheck } from "../../../command-kit/outcomes.ts";
import { isRecord, jsonOf } from "../../../command-kit/responses.ts";
import { parseId } from "../../../command-kit/values.ts";
import { statesOf } from "../../../core/responses/rental.ts";
import { assertSuccess } from "../../../core/responses/success.ts";
import { ServiceError, UnknownOutcome } from "../../../core/service-errors.ts";
import { commandLine } from "../../../core/text.ts";
import { stateOf } from "../waiting.ts";
import type { TerminationPlan } from "./plan.ts";

export interface Ended extends Pick<TerminationPlan, "id" | "label"> {
  /** The response as received, or gpuctl's own record if the rental had already ended or is already ending. */
  readonly response: unknown;
}

/**
 * Ends a rental. Calls `beforeSending`, then sends the request once. If `beforeSending` throws, nothing is sent. A
 * rental that has ended in the meantime, or is already ending, counts as terminated. Throws the `problem` of the plan,
 * if it has one. Throws `UnknownOutcome` if it is not known whether the rental ended, for example if a successful
 * response has a body that is not a JSON object.
 */
export async function endRental(
  { id, label, request: parts, problem }: TerminationPlan,
  { call, request }: Pick<Context, "call" | "request">,
  beforeSending: () => Promise<void> = async () => {},
): Promise<Ended> {
  if (problem !== undefined) throw problem;
  const before = { id, label, response: { message: "had already ended", rentalId: parseId(id) } };
  if (parts === undefined) return before;
  try {
    const response = await writeAndCheck(
      async () => {
        await beforeSending();
        const received = await request(parts);
        if (received.text().trim() === "") return null;
        const value = jsonOf(received);
        assertSuccess(value, received);
        if (isRecord(value)) return value;
        throw new UnknownOutcome("the response is not an object", received.status, received.request);
      },
      `\`${commandLine("rentals get", [id])}\` shows whether the rental ended.`,
      () => finding(id, { call }),
    );
    return { id, label, response };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const record: unknown = await call("getRental", { rentalId: id }, { retries: 0 }).catch(() => null);
    if (hasEnded(record)) return before;
    if (!statesOf(record).some(isEnding)) throw error;
    return { ...before, response: { ...before.response, message: "is already ending" } };
  }
}

/** The message in the response to a termination, or in gpuctl's own record; `otherwise` if there is none. */
export const endedMessage = ({ response }: Pick<Ended, "response">, otherwise = "terminated"): string =>
  isRecord(response) && typeof response.message === "string" ? response.message : otherwise;

/**
 * Looks up a rental after a successful response to its termination. Returns its record if the rental has neither ended
 * nor started to end. Otherwise, or if the lookup fails, returns undefined.
 */
export async function stillActive(id: string, { call }: Pick<Context, "call">): Promise<unknown> {
  const record: unknown = await call("getRental", { rentalId: id }, { retries: 0 }).catch(() => null);
  const states = statesOf(record);
  return states.length === 0 || states.some(isEnding) ? undefined : record;
}

/** Looks up a rental whose termination has an unknown outcome, and says what it finds. */
async function finding(id: string, { call }: Pick<Context, "call">): Promise<string> {
  try {
    const record: unknown = await call("getRental", { rentalId: id });
    return `Rental ${id} was looked up: it ${record === null ? "no longer exists" : `is ${stateOf(record) ?? "still there"} now`}.`;
  } catch {
    return `Looking up rental ${id} failed too: check it before you try again.`;
  }
}
