import type { Context } from "../../context/context.ts";
import { firstAt } from "../../output/paths.ts";
import { NotFound, NotOffered } from "../errors.ts";
import { idOf, isRecord } from "../shared/records.ts";
import { parseId } from "../shared/values.ts";
import { listActive } from "./listing.ts";
import { type RentalType, rentalTypeOf } from "./rental-type.ts";
import { type Terminate, terminateFor } from "./terminate-operation.ts";

/** A rental that is to be ended. */
export interface Rental {
  /** As it was typed. */
  readonly id: string;
  /** As the service writes it. */
  readonly wireId: string | number;
  readonly label: string | undefined;
  readonly type: RentalType | undefined;
}

/** A rental of which nothing is known but its id. */
export const unseen = (id: string): Rental => ({
  id,
  wireId: parseId(id),
  label: undefined,
  type: undefined,
});

/** Looks rentals up; one that was named twice is there once. Throws `NotFound` that names all that are not there. */
export async function lookedUp(
  ids: readonly string[],
  { call }: Pick<Context, "call">,
): Promise<readonly Rental[]> {
  const records = await Promise.all(ids.map((id): Promise<unknown> => call("getRental", { rentalId: id })));
  const missing = ids.filter((_, index) => records[index] === null);
  if (missing.length > 0) {
    const nothing = ids.length > 1 ? ", so nothing was ended" : "";
    const details = ids.length > 1 ? { request: null } : {};
    throw new NotFound(`no rental ${missing.join(" and no rental ")} belongs to you${nothing}`, details);
  }
  const rentals = ids.map((id, index) => seen(id, records[index]));
  return rentals.filter(
    ({ wireId }, at) => rentals.findIndex((one) => String(one.wireId) === String(wireId)) === at,
  );
}

function seen(id: string, record: unknown): Rental {
  const label = firstAt(record, ["label", "name", "meta.name"]);
  const wireId = isRecord(record) ? (record.id ?? record.rentalId) : undefined;
  return {
    id,
    wireId: typeof wireId === "number" || typeof wireId === "string" ? wireId : parseId(id),
    label: typeof label === "string" ? label : undefined,
    type: rentalTypeOf(record),
  };
}

/** Where the types matter and a record does not say its own, it is that of the listing which holds it. */
export async function withTypes(
  rentals: readonly Rental[],
  operations: readonly Terminate[],
  context: Pick<Context, "call">,
): Promise<readonly Rental[]> {
  const matters = terminateFor(operations, undefined).length > 1;
  if (!matters || rentals.every(({ type }) => type !== undefined)) return rentals;
  const listed = await listActive(context, {});
  return rentals.map((rental) => ({
    ...rental,
    type: rental.type ?? listed.find(({ record }) => idOf(record) === String(rental.wireId))?.type,
  }));
}

/** What is told of a rental that no listed operation is known to end. */
export const noneFor = (id: string, type: RentalType | undefined): NotOffered =>
  new NotOffered(
    type === undefined
      ? `rental ${id} is in no listing of what is active, so it is not known whether it is ended as a virtual machine or as bare metal`
      : `the service lists no operation that ends rental ${id}, which is ${type === "vm" ? "a virtual machine" : "bare metal"}`,
    "Nothing was ended. End it in the service's dashboard.",
  );
