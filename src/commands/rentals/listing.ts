import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { recordsOf } from "../shared/records.ts";
import { type RentalType, rentalTypes } from "./flags.ts";

interface Listed {
  readonly record: unknown;
  readonly type: RentalType;
}

/** The active rentals of one type or of both, asked for side by side. */
export async function listActive(
  { call }: Pick<Context, "call">,
  query: InputOf<"listVirtualMachineRentals">,
  type?: RentalType,
): Promise<readonly Listed[]> {
  const ask = async (one: RentalType): Promise<readonly Listed[]> => {
    const page = await (one === "vm"
      ? call("listVirtualMachineRentals", query)
      : call("listBareMetalRentals", {}));
    return recordsOf(page).map((record) => ({ record, type: one }));
  };
  return (await Promise.all((type ? [type] : rentalTypes).map(ask))).flat();
}
