import { isDeepStrictEqual } from "node:util";
import { hasEnded, isEnding } from "../../../client/rentals/type.ts";
import type { RequestParts } from "../../../client/request.ts";
import { isGone } from "../../../client/send.ts";
import type { Context } from "../../../command-kit/context.ts";
import { writeAndCheck } from "../../../command-kit/outcomes.ts";
import { isRecord, jsonOf } from "../../../command-kit/responses.ts";
import { parseId } from "../../../command-kit/values.ts";
import { statesOf } from "../../../core/responses/rental.ts";
import { assertSuccess } from "../../../core/responses/success.ts";
import { ServiceError, UnknownOutcome } from "../../../core/service-errors.ts";
import { commandLine } from "../../../core/text.ts";
import { terminateOperations } from "../../../openapi/terminate.ts";
import { stateOf } from "../waiting.ts";
import type { TerminationPlan } from "./plan.ts";

export interface Ended extends Pick<TerminationPlan, "id" | "label"> {
  /** The response as received, or gpuctl's own record if the rental had already ended or is already ending. */
  readonly response: unknown;
}

/**
 * Ends a rental. Calls `beforeSending`, then sends the request once. If `beforeSending` throws, nothing is sent. A
 * rental that has ended in the meantime, or is already ending, counts as terminated. If the service no longer serves
 * the operation, uses the one that the newest description lists. Throws the `problem` of the plan, if it has one.
 * Throws `UnknownOutcome` if it is not known whether the rental ended, for example if a successful response has a body
 * that is not a JSON object.
 */
export async function endRental(
  plan: TerminationPlan,
  context: Pick<Context, "call" | "request" | "describe">,
  beforeSending: () => Promise<void> = async () => {},
): Promise<Ended> {
  const { id, label, request: parts, problem } = plan;
  const { call, request } = context;
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
    const states = statesOf(record);
    if (states.some(isEnding)) {
      return { ...before, response: { ...before.response, message: "is already ending" } };
    }
    const moved = states.length === 0 ? undefined : await movedRequest(plan, error, context);
    if (moved === undefined) throw error;
    return endRental({ ...plan, request: moved, requestFor: undefined }, context, beforeSending);
  }
}

/**
 * The request that ends the rental now, if the service no longer serves the one of the plan. The plan may be based on a
 * description that was fetched hours ago.
 */
async function movedRequest(
  { request, requestFor }: TerminationPlan,
  error: ServiceError,
  { describe }: Pick<Context, "describe">,
): Promise<RequestParts | undefined> {
  if (!isGone(error) || requestFor === undefined) return undefined;
  try {
    const now = requestFor(terminateOperations(await describe({ refresh: true })));
    return isDeepStrictEqual(now, request) ? undefined : now;
  } catch {
    // The first error says more.
    return undefined;
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
