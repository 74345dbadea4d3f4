import { rentalTypes } from "../../contract/enums.ts";
import { asText, firstAt } from "../../core/json.ts";

export type RentalType = (typeof rentalTypes)[number];
const [bareMetal, virtualMachine] = rentalTypes;

/** Paths where the record of a rental may hold its type: services name the field differently. */
export const typePaths = ["rentalType", "machineType", "meta.rental_type"];

/** The type of a rental according to its record, whichever field holds the type; undefined if no field holds it. */
export function rentalTypeOf(record: unknown): RentalType | undefined {
  const type = asText(firstAt(record, typePaths));
  if (/bare/i.test(type)) return bareMetal;
  return /virtual|^vm/i.test(type) ? virtualMachine : undefined;
}

/**
 * Whether a record says that the rental has ended. The service documents `state`; if it is missing, `status` counts.
 */
export const hasEnded = (record: unknown): boolean =>
  asText(firstAt(record, ["state", "status"])).toLowerCase() === "terminated";
