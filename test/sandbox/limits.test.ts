import { expect, test } from "vitest";
import { type LimitId, sandboxLimits } from "../../src/sandbox/limits.ts";
import { assumedChecks } from "./limits/assumed.ts";
import type { Checks } from "./limits/check.ts";
import { controlChecks } from "./limits/control.ts";
import { engineChecks } from "./limits/engines.ts";
import { inferenceChecks } from "./limits/inference.ts";
import { moneyChecks } from "./limits/money.ts";
import { recordChecks } from "./limits/records.ts";
import { rentalChecks } from "./limits/rentals.ts";
import { situationChecks } from "./limits/situations.ts";
import { wireChecks } from "./limits/wire.ts";

const checks: Checks = {
  ...rentalChecks,
  ...recordChecks,
  ...moneyChecks,
  ...wireChecks,
  ...inferenceChecks,
  ...controlChecks,
  ...engineChecks,
  ...assumedChecks,
  ...situationChecks,
};

test.for(sandboxLimits)("the sandbox behaves as documented: $id", async ({ id, text }, context) => {
  const check = checks[id as LimitId];
  if (check === undefined)
    throw new Error(
      `No check covers the assumption "${id}" of src/sandbox/limits.ts: add a check to test/sandbox/limits/`,
    );
  await check(text, context);
});

test("every check belongs to a documented assumption of the sandbox", () => {
  const ids = sandboxLimits.map(({ id }) => id);
  expect(Object.keys(checks).filter((id) => !ids.includes(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});
