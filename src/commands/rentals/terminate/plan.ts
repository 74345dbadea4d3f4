import { hasEnded, listedTypeOf, type RentalType, rentalTypeOf } from "../../../client/rentals/type.ts";
import type { RequestParts } from "../../../client/request.ts";
import type { Context } from "../../../command-kit/context.ts";
import { labelLookup } from "../../../command-kit/rentals/labels.ts";
import { labelOf, noDescription, termEndPaths } from "../../../command-kit/responses.ts";
import { mayBeLabel, parseId } from "../../../command-kit/values.ts";
import { NotFound, NotOffered, UnexpectedResponse, UsageError } from "../../../core/errors.ts";
import { asText, firstAt } from "../../../core/json.ts";
import { assertIsRental, idOf, idsOf, sameIdIn } from "../../../core/responses/rental.ts";
import { descriptionTimeout } from "../../../core/values/defaults.ts";
import { parseTime } from "../../../core/values/times.ts";
import { requestForId } from "../../../openapi/id-parameter.ts";
import {
  type TerminateOperation,
  terminateOperations,
  terminateOperationsFor,
} from "../../../openapi/terminate.ts";
import { kinds, listActive, listBoth } from "../listing.ts";

/** How to terminate one rental. */
export interface TerminationPlan {
  /** The ID as typed, or as the service writes it. For a rental without an ID, its label or `(no ID)`. */
  readonly id: string;
  readonly label: string | undefined;
  /** When its reserved term ends, in milliseconds since the epoch; undefined without a term. */
  readonly reservedUntil: number | undefined;
  /** The request that terminates the rental; undefined if the rental has already ended, or if there is a `problem`. */
  readonly request: RequestParts | undefined;
  /** The request if the service lists these operations; undefined if it lists none or several for the rental. */
  readonly requestFor?: ((operations: readonly TerminateOperation[]) => RequestParts | undefined) | undefined;
  /** Why no request can be sent, although the rental is active. */
  readonly problem?: Error;
  /** The requests for other types of rental. Empty except in a dry run, which does not look up the type. */
  readonly alternatives: readonly RequestParts[];
}

interface Rental extends Pick<TerminationPlan, "id" | "label" | "reservedUntil"> {
  /** The ID to send: as the record writes it, or what `parseId` returns if no ID in the record matches. */
  readonly wireId: string | number;
  /**
   * All IDs in the rental's record, and its type if the record states it, as one text. Two records of the same rental
   * have equal keys. The key includes the type because a virtual machine and a bare-metal rental may have the same ID.
   */
  readonly key: string;
  readonly type: RentalType | undefined;
  readonly ended: boolean;
  readonly record: unknown;
}

type Planning = Pick<Context, "call" | "describe" | "settings" | "say">;

/**
 * Plans how to terminate the rentals with these IDs or labels, without terminating any. Throws `NotFound` if a rental
 * does not exist, `UsageError` if several rentals have the same label or an ID cannot be sent, and `NoDescription` if
 * the OpenAPI description cannot be fetched in a few seconds. Throws `NotOffered` if the service lists no operation
 * that terminates a rental, if it is not clear which operation does, or if it is not clear which rental has a label.
 */
export async function planTermination(
  words: readonly string[],
  context: Planning,
): Promise<readonly TerminationPlan[]> {
  const operations = await listedOperations(context);
  if (context.settings.dryRun) {
    if (words.some(mayBeLabel))
      context.say("A dry run does not look up labels: the requests show labels instead of IDs.");
    const unknown = {
      key: "",
      label: undefined,
      reservedUntil: undefined,
      type: undefined,
      ended: false,
      record: null,
    };
    return words.map((id) => plan({ id, wireId: parseId(id), ...unknown }, operations, true));
  }
  const labels = context.settings.validate ? await idsByLabel(words, context) : new Map<string, string>();
  const found = await lookUp([...new Set(words.map((word) => labels.get(word) ?? word))], context);
  for (const [label, id] of labels) assertHasLabel(label, id, found);
  const rentals = await withTypes(found, operations, context);
  return rentals.map((rental) => plan(rental, operations));
}

/** Plans how to terminate the rental with this ID and record. Throws as `planTermination` does. */
export async function planRecord(id: string, record: unknown, context: Planning): Promise<TerminationPlan> {
  const operations = await listedOperations(context);
  const [rental] = await withTypes([rentalOf(id, record)], operations, context);
  return plan(rental ?? rentalOf(id, record), operations);
}

/**
 * Plans how to terminate the active rentals that match. A rental that cannot be terminated gets a plan with a
 * `problem`. Fetches the service's OpenAPI description only if a matching rental has an ID. Then it may throw
 * `NoDescription`, as `planTermination` does, and `NotOffered` if the service lists no operation that terminates any
 * rental.
 */
export async function planMatching(
  matches: (record: unknown) => boolean,
  context: Planning,
): Promise<readonly TerminationPlan[]> {
  if (context.settings.dryRun) {
    context.say("A dry run does not list the rentals, so it does not show which ones would be terminated.");
  }
  const listed = (await listActive(context)).filter(({ record }) => matches(record));
  const rentals = listed.flatMap(({ record, type }) => {
    const id = idOf(record);
    return id === undefined ? [] : [{ ...rentalOf(id, record), type: rentalTypeOf(record) ?? type }];
  });
  const unnamed = listed.filter(({ record }) => idOf(record) === undefined);
  if (rentals.length + unnamed.length === 0) return [];
  const operations = rentals.length === 0 ? [] : await listedOperations(context);
  // A virtual machine and a bare-metal rental may have the same ID. If their records do not say their types, the two
  // rentals differ only in their requests.
  const plans = new Map<string, TerminationPlan>();
  for (const rental of rentals) {
    const planned = planOrProblem(rental, operations);
    const key = JSON.stringify([rental.key, planned.request]);
    if (!plans.has(key)) plans.set(key, planned);
  }
  return [...plans.values(), ...unnamed.map(({ record }) => planWithoutId(record))];
}

/** The plan for an active rental whose record has no ID. The rental cannot be terminated, but must be reported. */
function planWithoutId(record: unknown): TerminationPlan {
  const { label, reservedUntil } = rentalOf("", record);
  const problem = new UnexpectedResponse(
    "the service lists an active rental without an ID, so gpuctl cannot terminate it",
    "It is still billed. Terminate it in the service's dashboard.",
  );
  return { id: label ?? "(no ID)", label, reservedUntil, request: undefined, problem, alternatives: [] };
}

/**
 * Like `plan`, but does not throw if the ID of the rental cannot be sent, or if the service lists no operation for the
 * rental's type. Instead, returns a plan with a `problem`, so that the other rentals are still terminated.
 */
function planOrProblem(rental: Rental, operations: readonly TerminateOperation[]): TerminationPlan {
  try {
    return plan(rental, operations);
  } catch (problem) {
    if (!(problem instanceof UsageError || problem instanceof NotOffered)) throw problem;
    const { id, label, reservedUntil } = rental;
    return { id, label, reservedUntil, request: undefined, problem, alternatives: [] };
  }
}

async function listedOperations({ describe }: Planning): Promise<readonly TerminateOperation[]> {
  const description = await describe({ timeout: descriptionTimeout }).catch((error: unknown) => {
    throw noDescription(
      error,
      "rentals can be terminated",
      "Nothing was terminated, and active rentals are still billed. Terminate them in the service's dashboard, or try again; `gpuctl api spec --refresh` waits longer for the description.",
    );
  });
  return terminateOperations(description);
}

function plan(
  { wireId, type, ended, key: _, record: __, ...rental }: Rental,
  operations: readonly TerminateOperation[],
  dryRun = false,
): TerminationPlan {
  if (ended) return { ...rental, request: undefined, alternatives: [] };
  const requestsFor = (listed: readonly TerminateOperation[]) =>
    terminateOperationsFor(type, listed).map(({ operation, parameter }) =>
      requestForId(operation, parameter, wireId),
    );
  const [request, ...alternatives] = requestsFor(operations);
  if (request === undefined || (alternatives.length > 0 && !dryRun)) throw notOffered(rental.id, type);
  const requestFor = (listed: readonly TerminateOperation[]) => {
    const [only, ...others] = requestsFor(listed);
    return others.length === 0 ? only : undefined;
  };
  return { ...rental, request, requestFor, alternatives };
}

/**
 * Looks up which words are labels of active rentals, and tells the user the ID for each label. Returns the IDs by
 * label. Throws as `labelLookup` does.
 */
async function idsByLabel(
  words: readonly string[],
  { call, say }: Pick<Context, "call" | "say">,
): Promise<ReadonlyMap<string, string>> {
  const { idFor } = labelLookup({ call });
  const ids = new Map<string, string>();
  for (const word of words.filter(mayBeLabel)) {
    const id = await idFor("rental", word, "RENTAL");
    if (id === undefined) continue;
    say(`${JSON.stringify(word)} is rental ${id}.`);
    ids.set(word, id);
  }
  return ids;
}

/**
 * Throws `NotOffered` if a rental has another label in its record than in the list of rentals. Then the record may be
 * of another rental: a virtual machine and a bare-metal rental may have the same ID.
 */
function assertHasLabel(label: string, id: string, rentals: readonly Rental[]): void {
  const other = rentals.find((rental) => rental.id === id)?.label ?? label;
  if (other === label) return;
  throw new NotOffered(
    `${JSON.stringify(label)} is listed as rental ${id}, but the record of rental ${id} has the label ${JSON.stringify(other)}`,
    "Nothing was terminated. `gpuctl rentals list` shows IDs and labels.",
  );
}

/**
 * Looks up rentals. Returns a rental once if several IDs name it. Throws a `NotFound` that names all missing rentals.
 */
async function lookUp(ids: readonly string[], { call }: Pick<Context, "call">): Promise<readonly Rental[]> {
  const records = await Promise.all(ids.map((id): Promise<unknown> => call("getRental", { rentalId: id })));
  for (const [index, id] of ids.entries()) assertIsRental(id, records[index]);
  const missing = ids.filter((_, index) => records[index] === null);
  if (missing.length > 0) {
    const [first] = missing;
    const message =
      missing.length > 1 ? `rentals not found: ${missing.join(", ")}` : `rental ${first} not found`;
    const details = ids.length > 1 ? { request: null, hint: "Nothing was terminated." } : {};
    throw new NotFound(message, details);
  }
  return withoutRepeats(ids.map((id, index) => rentalOf(id, records[index])));
}

/** Returns each rental once, even if it was named several times. */
function withoutRepeats(rentals: readonly Rental[]): readonly Rental[] {
  const first = new Map<string, Rental>();
  for (const rental of rentals) {
    if (!first.has(rental.key)) first.set(rental.key, rental);
  }
  return [...first.values()];
}

function rentalOf(id: string, record: unknown): Rental {
  // No other ID in the record is sent: a second ID, such as a database ID, may be equal to the ID of another rental.
  const wireId = sameIdIn(record, id) ?? parseId(id);
  const ids = idsOf(record);
  return {
    id,
    wireId,
    key: JSON.stringify([rentalTypeOf(record) ?? "", ...(ids.length > 0 ? ids : [wireId]).map(String)]),
    label: labelOf(record),
    reservedUntil: parseTime(asText(firstAt(record, termEndPaths))),
    type: rentalTypeOf(record),
    ended: hasEnded(record),
    record,
  };
}

/**
 * Adds the types of rentals whose records do not state them, if the operations depend on the type. The type comes from
 * the listing that contains the rental. Throws if a listing fails and the other one does not show the type for certain.
 */
async function withTypes(
  rentals: readonly Rental[],
  operations: readonly TerminateOperation[],
  context: Pick<Context, "call">,
): Promise<readonly Rental[]> {
  const typeMatters = terminateOperationsFor(undefined, operations).length > 1;
  if (!typeMatters || rentals.every(({ type, ended }) => ended || type !== undefined)) return rentals;
  const lists = await listBoth(context);
  return rentals.map((rental) =>
    rental.ended || rental.type !== undefined
      ? rental
      : { ...rental, type: listedTypeOf(rental.record, String(rental.wireId), lists) },
  );
}

const notOffered = (id: string, type: RentalType | undefined): NotOffered =>
  new NotOffered(
    type === undefined
      ? `the lists of active rentals do not show whether rental ${id} is a virtual machine or bare metal`
      : `the service lists no operation to terminate rental ${id}, which is ${kinds[type].text}`,
    "Nothing was terminated. Terminate the rental in the service's dashboard.",
  );
