import { firstAt } from "../../output/paths.ts";
import type { RentalType } from "./flags.ts";

export type { RentalType } from "./flags.ts";

/** The type of a rental as its record says, under whatever name; nothing when it does not. */
export function rentalTypeOf(record: unknown): RentalType | undefined {
  const said = String(firstAt(record, ["rentalType", "machineType", "meta.rental_type"]) ?? "");
  if (/bare/i.test(said)) return "bare-metal";
  return /virtual|^vm/i.test(said) ? "vm" : undefined;
}
