import type { Issue } from "../contract/check.ts";
import type { OperationId } from "../contract/index.ts";
import type { Operation } from "../contract/operation.ts";

/** An input breaks the documented limits of its operation; `issues` say where and how. Nothing was sent. */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly issues: readonly Issue[];
  constructor(operation: string, issues: readonly Issue[]) {
    const told = issues.map(({ path, message }) => `${path.join(".") || "the input"} ${message}`);
    super(`${operation}: ${told.join("; ")}`);
    this.issues = issues;
  }
}

/** Holds an input against the contract, which is loaded for it. Throws `InvalidInput`. */
export async function assertValid(id: OperationId, input: object): Promise<void> {
  const [{ check }, { operations }] = await Promise.all([
    import("../contract/check.ts"),
    import("../contract/index.ts"),
  ]);
  const operation: Operation = operations[id];
  const checked = check(operation, input);
  if (!checked.ok) throw new InvalidInput(id, checked.issues);
}
