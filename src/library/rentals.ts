import { isDeepStrictEqual } from "node:util";
import { call, rawCall } from "../client/call.ts";
import { hasJson } from "../client/probe/key-check.ts";
import { hasEnded, isEnding, listedTypeOf, type RentalType, rentalTypeOf } from "../client/rentals/type.ts";
import {
  defaultInterval,
  defaultWaitTimeout,
  getRental,
  inState,
  waitForRental,
  waitStates,
} from "../client/rentals/waiting.ts";
import { isGone } from "../client/send.ts";
import { rentalTypes } from "../contract/enums.ts";
import { NotFound, NotOffered } from "../core/errors.ts";
import { firstAt, recordsOf, scalarText } from "../core/json.ts";
import { sameIdIn, statePaths, statesOf } from "../core/responses/rental.ts";
import { ServiceError } from "../core/service-errors.ts";
import type { Description } from "../openapi/document.ts";
import { requestForId } from "../openapi/id-parameter.ts";
import {
  type TerminateOperation,
  terminateOperations,
  terminateOperationsFor,
} from "../openapi/terminate.ts";
import { millisecondsRule, type RequestOptions, requestOptionRules } from "./client-options.ts";
import { type OpenCall, sleep } from "./connection.ts";
import { idIn, removalOf } from "./described.ts";
import { InvalidInput } from "./errors.ts";
import { shown } from "./options.ts";

/** A state of a rental for which `waitFor` can wait. */
export type WaitState = (typeof waitStates)[number];

export interface WaitOptions extends RequestOptions {
  /** Maximum time to wait, in milliseconds; 15 minutes by default. */
  readonly waitTimeout?: number | undefined;
  /**
   * Maximum time between two requests, in milliseconds; 5 s by default. The first requests follow each other sooner.
   */
  readonly interval?: number | undefined;
}

export const waitOptionRules = {
  ...requestOptionRules,
  waitTimeout: millisecondsRule,
  interval: millisecondsRule,
};

/**
 * Waits until a rental is in a state, and returns its record. Throws `InvalidInput` for an invalid ID or state.
 * Otherwise throws as `waitForRental` does, except that `gone` converts a 404.
 */
export async function waitForState(
  input: { readonly state?: unknown },
  { waitTimeout = defaultWaitTimeout, interval = defaultInterval }: WaitOptions,
  { settings }: OpenCall,
): Promise<unknown> {
  const rentalId = idIn("waitFor", input, "rentalId");
  const { state = "running" } = input;
  if (!waitStates.some((one) => one === state)) {
    const message = `must be one of ${waitStates.join(", ")}, not ${shown(state)}`;
    throw new InvalidInput("waitFor", [{ path: ["state"], message }]);
  }
  return waitForRental(
    { rentalId, ...inState(String(state)), interval, timeout: waitTimeout },
    {
      call: (id, query, { signal: limit } = {}) => {
        const signals = [settings.signal, limit].filter((one) => one !== undefined);
        return call(id, query, { ...settings, signal: AbortSignal.any(signals) });
      },
      now: settings.now,
      sleep: (milliseconds) => sleep(milliseconds, settings.signal),
      stateText: (rental) => scalarText(firstAt(rental, statePaths)) || "in an unknown state",
    },
  ).catch(gone(rentalId));
}

/**
 * Converts a 404, with which some services respond instead of null, to the `NotFound` for a missing rental. A 404 whose
 * body is not JSON may come from a proxy, so it is thrown unchanged.
 */
const gone =
  (rentalId: string) =>
  (error: unknown): never => {
    const isMissing = error instanceof ServiceError && error.status === 404 && hasJson(error);
    throw isMissing ? new NotFound(`rental ${rentalId} not found`) : error;
  };

/**
 * Terminates a rental with the operation that the service's OpenAPI description lists. Also succeeds if the rental has
 * already ended or is already ending.
 * @throws UnknownOutcome when the response is neither empty nor an object: the rental may still be billed
 * @throws NotFound of `core/errors.ts` when the rental does not exist; `libraryError` converts it to `RentalGone`
 * @throws NotOffered when the description cannot be fetched or does not show which operation terminates the rental
 */
export async function terminateRental(input: unknown, { settings, describe }: OpenCall): Promise<unknown> {
  const rentalId = idIn("terminateRental", input, "rentalId");
  const operations = terminateOperations(await describe());
  const record = await getRental(rentalId, { call: (id, query) => call(id, query, settings) }).catch(
    gone(rentalId),
  );
  // Uses the matching ID: a second ID of the record, such as its ID in a database, may be the ID of another rental.
  const id = sameIdIn(record, rentalId) ?? rentalId;
  if (hasEnded(record)) return { message: "had already ended", rentalId: id };
  let type = rentalTypeOf(record);
  if (terminateOperationsFor(type, operations).length > 1)
    type = await listedType(record, rentalId, settings);
  const requestFor = (listed: readonly TerminateOperation[]) => {
    const [only, ...others] = terminateOperationsFor(type, listed);
    return only && others.length === 0 ? requestForId(only.operation, only.parameter, id) : undefined;
  };
  const parts = requestFor(operations);
  if (parts === undefined) {
    throw new NotOffered(
      `the service lists no operation to terminate rental ${rentalId}, or the rental's type is not known`,
      "Nothing was terminated. Terminate the rental in the service's dashboard.",
    );
  }
  try {
    return removalOf(await rawCall(parts, settings)) ?? { rentalId: id };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const now: unknown = await call("getRental", { rentalId }, { ...settings, retries: 0 }).catch(() => null);
    if (statesOf(now).some(isEnding)) return { message: "is already ending", rentalId: id };
    // The description may have been fetched hours ago.
    const newest = isGone(error) && now !== null ? await settings.descriptions.refresh() : undefined;
    const moved = newest && requestFor(listedIn(newest));
    if (moved === undefined || isDeepStrictEqual(moved, parts)) throw error;
    return removalOf(await rawCall(moved, settings)) ?? { rentalId: id };
  }
}

/** The operations that terminate rentals; empty if the description does not show them. */
function listedIn(description: Description): readonly TerminateOperation[] {
  try {
    return terminateOperations(description);
  } catch {
    return [];
  }
}

/** Finds the type of an active rental by the list that contains it. Throws as `listedTypeOf` does. */
async function listedType(
  record: unknown,
  rentalId: string,
  settings: OpenCall["settings"],
): Promise<RentalType | undefined> {
  const operations = {
    "virtual-machine": "listVirtualMachineRentals",
    "bare-metal": "listBareMetalRentals",
  } as const;
  const lists = await Promise.allSettled(
    rentalTypes.map(async (type) =>
      (recordsOf(await call(operations[type], {}, settings)) ?? []).map((record) => ({ record, type })),
    ),
  );
  return listedTypeOf(record, rentalId, lists);
}
