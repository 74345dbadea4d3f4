import type { check as checkAgainst } from "../../contract/check/check.ts";
import type { OperationId } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";

/** Loads the contract's check of an operation's input. */
export async function contractCheck(
  id: OperationId,
): Promise<(input: object) => ReturnType<typeof checkAgainst>> {
  const [{ check }, { operations }] = await Promise.all([
    import("../../contract/check/check.ts"),
    import("../../contract/index.ts"),
  ]);
  const operation: Operation = operations[id];
  return (input) => check(operation, input);
}
