import type { Context } from "../../command-kit/context.ts";
import { recordsOf } from "../../command-kit/responses.ts";
import { rentalTypes } from "../../contract/enums.ts";
import type { InputOf } from "../../contract/index.ts";
import { firstAt } from "../../core/json.ts";
import { typePaths } from "./views.ts";

export type RentalType = (typeof rentalTypes)[number];
const [bareMetal, virtualMachine] = rentalTypes;

/** The types of rentals, with their operations and how a sentence names them. */
export const kinds = {
  [virtualMachine]: {
    list: "listVirtualMachineRentals",
    create: "createVirtualMachineRental",
    text: "a virtual machine",
  },
  [bareMetal]: { list: "listBareMetalRentals", create: "createBareMetalRental", text: "bare metal" },
} as const;

/** The active rentals of one type or of both, requested in parallel. */
export async function listActive(
  { call }: Pick<Context, "call">,
  query: InputOf<"listVirtualMachineRentals"> = {},
  only?: RentalType,
): Promise<readonly { readonly record: unknown; readonly type: RentalType }[]> {
  const list = async (type: RentalType) => {
    const page = await call(kinds[type].list, type === virtualMachine ? query : {});
    return recordsOf(page).map((record) => ({ record, type }));
  };
  return (await Promise.all((only ? [only] : [virtualMachine, bareMetal]).map(list))).flat();
}

/** The type of a rental according to its record, whichever field holds it; undefined when none does. */
export function rentalTypeOf(record: unknown): RentalType | undefined {
  const type = String(firstAt(record, typePaths) ?? "");
  if (/bare/i.test(type)) return bareMetal;
  return /virtual|^vm/i.test(type) ? virtualMachine : undefined;
}
