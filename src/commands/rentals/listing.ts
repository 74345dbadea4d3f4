import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { recordsOf } from "../shared/records.ts";

interface Listed {
  readonly record: unknown;
  readonly type: "vm" | "bare-metal";
}

/** The active rentals of one type or of both, asked for side by side. */
export async function listActive(
  { call }: Pick<Context, "call">,
  query: InputOf<"listVirtualMachineRentals">,
  type?: "vm" | "bare-metal",
): Promise<readonly Listed[]> {
  const lists = await Promise.all([
    type === "bare-metal" ? [] : call("listVirtualMachineRentals", query),
    type === "vm" ? [] : call("listBareMetalRentals", {}),
  ]);
  const types = ["vm", "bare-metal"] as const;
  return types.flatMap((listed, index) =>
    recordsOf(lists[index]).map((record) => ({ record, type: listed })),
  );
}
