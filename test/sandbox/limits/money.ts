import { expect } from "vitest";
import { termCents } from "../../../src/sandbox/rentals/prices.ts";
import { openSandbox } from "../harness.ts";
import type { Checks } from "./check.ts";

const hour = 3_600_000;

export const moneyChecks = {
  prices: async (text) => {
    expect(text).toContain("h100 $2.00, h200 $2.60, b200 $4.00, rtx-6000-pro $1.00");
    const sandbox = await openSandbox();
    for (const [gpuType, cents] of [
      ["h100", 400],
      ["h200", 520],
      ["b200", 800],
      ["rtx-6000-pro", 200],
    ] as const) {
      const created = await sandbox.ask("createVirtualMachineRental", { gpuCount: 2, gpuType });
      expect(created.costPerHourCents).toBe(cents);
    }
    for (const [discountPercentage, cents] of [
      [99.2, 2],
      [99.3, 1],
      [99.99, 1],
    ] as const) {
      const created = await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, discountPercentage });
      expect(created.costPerHourCents).toBe(cents);
    }
  },
  "term-prices": async (text) => {
    expect(text).toContain("30% from 365 days, 20% from 90 days, 10% from 30 days");
    const gpu = { gpuType: "h100", gpuCount: 1, discountPercentage: 50 } as const;
    expect([1, 30, 90, 365].map((days) => termCents(gpu, days) / days)).toEqual([2400, 2160, 1920, 1680]);
    const sandbox = await openSandbox();
    const created = await sandbox.ask("createVirtualMachineRental", gpu);
    expect(created.costPerHourCents).toBe(100);
  },
  billing: async () => {
    const sandbox = await openSandbox();
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    expect(await sandbox.ask("getActiveRentalSummary")).toMatchObject({ count: 1 });
    const billed = async () => (await sandbox.ask("getRental", { rentalId: "1001" }))?.billedCents;
    sandbox.advance(2000);
    expect(await billed()).toBe(0);
    sandbox.advance(35_999);
    expect(await billed()).toBe(1);
    sandbox.advance(1);
    expect(await billed()).toBe(2);
    sandbox.advance(hour - 36_000);
    expect(await billed()).toBe(200);
    const term = { gpuCount: 1, termType: "reserved", termPeriodDays: 30 } as const;
    await sandbox.ask("createVirtualMachineRental", term);
    const reserved = async () => (await sandbox.ask("getRental", { rentalId: "1002" }))?.billedCents;
    expect(await reserved()).toBe(0);
    sandbox.advance(2000 + hour);
    expect(await reserved()).toBe(180);
    await sandbox.assumed("terminateVirtualMachineRental", { rentalId: 1002 });
    sandbox.advance(1000 * hour);
    expect(await reserved()).toBe(180);
  },
} satisfies Checks;
