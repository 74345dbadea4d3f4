import type { Context } from "../../command-kit/context.ts";
import { recordsOf } from "../../command-kit/responses.ts";
import { rentalTypes } from "../../contract/enums.ts";
import type { InputOf } from "../../contract/index.ts";
import { firstAt } from "../../core/json.ts";

export type RentalType = (typeof rentalTypes)[number];
const [bareMetal, virtualMachine] = rentalTypes;

/** The operation that lists the active rentals of a type. */
export const listOperations = {
  [virtualMachine]: "listVirtualMachineRentals",
  [bareMetal]: "listBareMetalRentals",
} as const;

interface Listed {
  readonly record: unknown;
  readonly type: RentalType;
}

/** The active rentals of one type or of both, requested side by side. */
export async function listActive(
  { call }: Pick<Context, "call">,
  query: InputOf<"listVirtualMachineRentals"> = {},
  type?: RentalType,
): Promise<readonly Listed[]> {
  const list = async (one: RentalType): Promise<readonly Listed[]> => {
    const page = await call(listOperations[one], one === virtualMachine ? query : {});
    return recordsOf(page).map((record) => ({ record, type: one }));
  };
  return (await Promise.all((type ? [type] : [virtualMachine, bareMetal]).map(list))).flat();
}

/** The type of a rental according to its record, whichever field holds it; undefined when none does. */
export function rentalTypeOf(record: unknown): RentalType | undefined {
  const type = String(firstAt(record, ["rentalType", "machineType", "meta.rental_type"]) ?? "");
  if (/bare/i.test(type)) return bareMetal;
  return /virtual|^vm/i.test(type) ? virtualMachine : undefined;
}
