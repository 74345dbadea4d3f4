import { expect, test } from "vitest";
import { hourlyCentsOf } from "../../src/commands/rentals/cost.ts";
import { createCli } from "../support/cli.ts";

const wanted = {
  type: "virtual-machine",
  gpuType: "h100",
  gpuCount: 4,
  region: "us-central-1",
  networkType: "ethernet",
  termType: "on-demand",
} as const;

test("the price of a rental is that of its option in the sandbox's catalog", async () => {
  const { run } = await createCli();
  const options = JSON.parse((await run("api call listRentalOptions --sandbox")).out);
  expect(hourlyCentsOf(options, wanted)).toBe(800);
  expect(hourlyCentsOf(options, { ...wanted, gpuCount: 16 })).toBe(3200);
  expect(
    hourlyCentsOf(options, {
      ...wanted,
      type: "bare-metal",
      gpuCount: 16,
      networkType: "infiniband",
      region: "eu-west-4",
    }),
  ).toBe(3200);
  expect(hourlyCentsOf(options, { ...wanted, region: "nowhere" })).toBeUndefined();
});

test.each([[null], [[]], [[7, { gpuType: "h100" }]], [{ items: "none" }]])(
  "%j is not a catalog",
  (options) => {
    expect(hourlyCentsOf(options, wanted)).toBeUndefined();
  },
);
