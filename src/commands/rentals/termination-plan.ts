import type { RequestParts } from "../../client/request.ts";
import type { Context } from "../../command-kit/context.ts";
import { idOf, noDescription } from "../../command-kit/responses.ts";
import { parseId } from "../../command-kit/values.ts";
import { descriptionTimeout } from "../../core/defaults.ts";
import { NotFound, NotOffered } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { kinds, listActive, type RentalType, rentalTypeOf } from "./listing.ts";
import {
  type TerminateOperation,
  terminateOperations,
  terminateOperationsFor,
  terminateRequest,
} from "./terminate-request.ts";
import { id as idPaths, labelPaths } from "./views.ts";

/** How to terminate one rental. */
export interface TerminationPlan {
  /** The id as typed. */
  readonly id: string;
  readonly label: string | undefined;
  /** The request that terminates it. */
  readonly request: RequestParts;
  /** The requests for other types of rental. Only in a dry run, which does not look up the type. */
  readonly alternatives: readonly RequestParts[];
}

interface Rental extends Pick<TerminationPlan, "id" | "label"> {
  /** The id as the service writes it. */
  readonly wireId: string | number;
  readonly type: RentalType | undefined;
}

/**
 * Plans how to terminate rentals, without terminating any. Throws `NotFound` when some do not exist, `NotOffered` when
 * the service lists no operation for one, and `NoDescription` when its description cannot be fetched in a few seconds.
 */
export async function planTermination(
  ids: readonly string[],
  context: Pick<Context, "call" | "describe" | "settings">,
): Promise<readonly TerminationPlan[]> {
  const description = await context.describe({ timeout: descriptionTimeout }).catch((error: unknown) => {
    throw noDescription(
      error,
      "rentals can be terminated",
      "Nothing was terminated, and active rentals are still billed. Terminate them in the service's dashboard, or try again; `gpuctl api spec --refresh` waits longer for the description.",
    );
  });
  const operations = terminateOperations(description);
  const { dryRun } = context.settings;
  const rentals = dryRun
    ? ids.map((id) => ({ id, wireId: parseId(id), label: undefined, type: undefined }))
    : await withTypes(await lookUp(ids, context), operations, context);
  return rentals.map(({ id, wireId, label, type }) => {
    const usable = terminateOperationsFor(type, operations);
    const [request, ...alternatives] = usable.map((one) => terminateRequest(one, wireId));
    if (request === undefined || (alternatives.length > 0 && !dryRun)) throw notOffered(id, type);
    return { id, label, request, alternatives };
  });
}

/** Looks up rentals. Two ids of the same rental return it once. Throws a `NotFound` that names all missing rentals. */
async function lookUp(ids: readonly string[], { call }: Pick<Context, "call">): Promise<readonly Rental[]> {
  const records = await Promise.all(ids.map((id): Promise<unknown> => call("getRental", { rentalId: id })));
  const missing = ids.filter((_, index) => records[index] === null);
  if (missing.length > 0) {
    const [first] = missing;
    const message =
      missing.length > 1 ? `rentals not found: ${missing.join(", ")}` : `rental ${first} not found`;
    const details = ids.length > 1 ? { request: null, hint: "Nothing was terminated." } : {};
    throw new NotFound(message, details);
  }
  const rentals = ids.map((id, index) => rentalOf(id, records[index]));
  return rentals.filter(
    ({ wireId }, at) => rentals.findIndex((one) => String(one.wireId) === String(wireId)) === at,
  );
}

function rentalOf(id: string, record: unknown): Rental {
  const label = firstAt(record, labelPaths);
  const wireId = firstAt(record, idPaths);
  return {
    id,
    wireId: typeof wireId === "number" || typeof wireId === "string" ? wireId : parseId(id),
    label: typeof label === "string" ? label : undefined,
    type: rentalTypeOf(record),
  };
}

/** Adds missing types if the operations depend on the type: a rental has the type of the listing that contains it. */
async function withTypes(
  rentals: readonly Rental[],
  operations: readonly TerminateOperation[],
  context: Pick<Context, "call">,
): Promise<readonly Rental[]> {
  const typeMatters = terminateOperationsFor(undefined, operations).length > 1;
  if (!typeMatters || rentals.every(({ type }) => type !== undefined)) return rentals;
  const listed = await listActive(context);
  return rentals.map((rental) => ({
    ...rental,
    type: rental.type ?? listed.find(({ record }) => idOf(record) === String(rental.wireId))?.type,
  }));
}

const notOffered = (id: string, type: RentalType | undefined): NotOffered =>
  new NotOffered(
    type === undefined
      ? `rental ${id} is not among the active rentals, so it is not known whether it is a virtual machine or bare metal`
      : `the service lists no operation to terminate rental ${id}, which is ${kinds[type].text}`,
    "Nothing was terminated. Terminate it in the service's dashboard.",
  );
