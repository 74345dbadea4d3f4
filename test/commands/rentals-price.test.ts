import { expect, test } from "vitest";
import { optionCost } from "../../src/commands/rentals/cost.ts";
import { moneyOfCents } from "../../src/core/values/money.ts";
import { createCli } from "../support/cli.ts";

const wanted = {
  type: "virtual-machine",
  gpuType: "h100",
  gpuCount: 4,
  region: "us-central-1",
  networkType: "ethernet",
  termType: "on-demand",
} as const;

test("the estimated price of a new rental comes from the matching option in the sandbox's catalog", async () => {
  const { run } = await createCli();
  const options = JSON.parse((await run("api call listRentalOptions --sandbox")).out);
  expect(optionCost(options, wanted)).toBe(moneyOfCents(800));
  expect(optionCost(options, { ...wanted, gpuCount: 16 })).toBe(moneyOfCents(3200));
  expect(
    optionCost(options, {
      ...wanted,
      type: "bare-metal",
      gpuCount: 16,
      networkType: "infiniband",
      region: "eu-west-4",
    }),
  ).toBe(moneyOfCents(3200));
  expect(optionCost(options, { ...wanted, region: "nowhere" })).toBeUndefined();
});

test.each([[null], [[]], [[7, { gpuType: "h100" }]], [{ items: "none" }]])(
  "there is no estimate from %j, which contains no usable rental option",
  (options) => {
    expect(optionCost(options, wanted)).toBeUndefined();
  },
);
