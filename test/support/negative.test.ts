import { expect, test } from "vitest";
import { check } from "../../src/contract/check/check.ts";
import { type OperationId, operations } from "../../src/contract/index.ts";
import type { Operation } from "../../src/contract/operation.ts";
import { negativeInputs } from "./negative.ts";
import { validInput } from "./valid-inputs.ts";

const ids = Object.keys(operations) as OperationId[];
const checked = (id: OperationId, input: unknown) => check(operations[id] as Operation, input);

test.each(ids)("the valid input of %s passes every check", (id) => {
  expect(checked(id, validInput(id))).toMatchObject({ ok: true });
});

test.each(ids.flatMap((id) => negativeInputs(id)))(
  "$operation: an input that breaks $limit at $path has issues there, and none elsewhere",
  ({ operation, path, limit, input }) => {
    const result = checked(operation, input);
    if (result.ok) throw new Error("the input is valid");
    for (const issue of result.issues) expect(issue.path.slice(0, path.length), limit).toEqual(path);
  },
);

test("each limit of the label of a volume is broken once", () => {
  const label = negativeInputs("createStorageVolume").filter(({ path }) => path[0] === "label");
  expect(label.map(({ limit }) => limit)).toEqual(["required", "minLength", "maxLength", "pattern"]);
});
