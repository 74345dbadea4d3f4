import { expect, test } from "vitest";
import { openSandbox } from "./harness.ts";

const second = 1000;
const day = 24 * 3600 * second;

const price = 2 * 180 * 24 * 30;

async function withRunningRental() {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 2 });
  sandbox.advance(3602 * second);
  return sandbox;
}

const wanted = { rentalId: 1001, termPeriodDays: 30, expectedTotalPriceCents: price };

test("an on-demand rental becomes reserved at the expected price", async () => {
  const sandbox = await withRunningRental();
  expect(await sandbox.ask("convertToReserved", wanted)).toEqual({
    rentalId: 1001,
    termType: "reserved",
    termPeriodDays: 30,
    totalPriceCents: price,
    costPerHourCents: 360,
    reservedUntil: "2026-12-20T13:00:02.000Z",
  });
  sandbox.advance(30 * day);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({
    termType: "on-demand",
    billedCents: 400 + price,
  });
});

test("a rental that is still starting is reserved from the time it runs", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 2 });
  const converted = await sandbox.ask("convertToReserved", { ...wanted, rentalId: "1001" });
  expect(converted.reservedUntil).toBe("2026-12-20T12:00:02.000Z");
});

test("a wrong price is rejected, and the error names the right price", async () => {
  const sandbox = await withRunningRental();
  expect(await sandbox.issuesOf("convertToReserved", { ...wanted, expectedTotalPriceCents: 1 })).toEqual([
    { path: ["expectedTotalPriceCents"], message: `must be ${price}, the price in cents of 30 days` },
  ]);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({ termType: "on-demand" });
});

test("an extension adds a term after the current one", async () => {
  const sandbox = await withRunningRental();
  await sandbox.ask("convertToReserved", wanted);
  sandbox.advance(day);
  const extended = await sandbox.ask("extendReserved", {
    ...wanted,
    expectedReservedUntil: "2027-01-19T15:00:02+02:00",
  });
  expect(extended).toMatchObject({
    termPeriodDays: 60,
    totalPriceCents: price,
    reservedUntil: "2027-01-19T13:00:02.000Z",
  });
  sandbox.advance(50 * day);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({ termType: "reserved" });
  sandbox.advance(9 * day);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({
    termType: "on-demand",
    billedCents: 400 + 2 * price,
  });
});

test("the error for an extension with a wrong price and a wrong end names both", async () => {
  const sandbox = await withRunningRental();
  await sandbox.ask("convertToReserved", wanted);
  const expectedReservedUntil = "2026-12-20T13:00:02Z";
  const input = { ...wanted, expectedTotalPriceCents: price + 1, expectedReservedUntil };
  expect(await sandbox.issuesOf("extendReserved", input)).toEqual([
    { path: ["expectedTotalPriceCents"], message: `must be ${price}, the price in cents of 30 days` },
    {
      path: ["expectedReservedUntil"],
      message: "must be 2027-01-19T13:00:02.000Z, the time at which the extended term ends",
    },
  ]);
});

test("a rental can be converted only once, and only a reserved rental can be extended", async () => {
  const sandbox = await withRunningRental();
  const extension = { ...wanted, expectedReservedUntil: "2027-01-19T13:00:02Z" };
  expect(await sandbox.issuesOf("extendReserved", extension)).toMatchObject([
    { path: ["rentalId"], message: "must be reserved, but is on-demand" },
  ]);
  await sandbox.ask("convertToReserved", wanted);
  expect(await sandbox.issuesOf("convertToReserved", wanted)).toMatchObject([
    { path: ["rentalId"], message: "must be on-demand, but is reserved" },
  ]);
});

test("an unknown or terminated rental is neither converted nor extended", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", {
    gpuCount: 1,
    termType: "reserved",
    termPeriodDays: 1,
    convertToOnDemandOnExpiry: false,
  });
  sandbox.advance(2 * day);
  for (const rentalId of [1001, 77, "mine"]) {
    const input = { ...wanted, rentalId, expectedReservedUntil: "2027-01-19T13:00:02Z" };
    const issues = [{ path: ["rentalId"], message: `no active rental has the id ${rentalId}` }];
    expect(await sandbox.issuesOf("convertToReserved", input)).toEqual(issues);
    expect(await sandbox.issuesOf("extendReserved", input)).toEqual(issues);
  }
});

test("a term cannot end after the last representable date", async () => {
  const sandbox = await withRunningRental();
  const input = { ...wanted, termPeriodDays: Number.MAX_SAFE_INTEGER };
  expect(await sandbox.issuesOf("convertToReserved", input)).toMatchObject([{ path: ["termPeriodDays"] }]);
});

test("a reservation request returns only a message", async () => {
  const sandbox = await openSandbox();
  expect(await sandbox.ask("requestReservation", { gpuCount: 512 })).toEqual({
    message: expect.stringContaining("512 GPUs"),
  });
});
