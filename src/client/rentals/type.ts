import { rentalTypes } from "../../contract/enums.ts";
import { firstAt } from "../../core/json.ts";

export type RentalType = (typeof rentalTypes)[number];
const [bareMetal, virtualMachine] = rentalTypes;

/** Possible paths of the type of a rental: services name it differently. */
export const typePaths = ["rentalType", "machineType", "meta.rental_type"];

/** The type of a rental according to its record, whichever field holds it; undefined when none does. */
export function rentalTypeOf(record: unknown): RentalType | undefined {
  const type = String(firstAt(record, typePaths) ?? "");
  if (/bare/i.test(type)) return bareMetal;
  return /virtual|^vm/i.test(type) ? virtualMachine : undefined;
}

/** Whether a record says that the rental has ended. The service documents `state`; `status` counts without it. */
export const hasEnded = (record: unknown): boolean =>
  String(firstAt(record, ["state", "status"])).toLowerCase() === "terminated";
