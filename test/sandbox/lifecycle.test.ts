import { expect, test } from "vitest";
import { gpuTypes, rentalTypes } from "../../src/contract/enums.ts";
import { dayMs, hourMs } from "../../src/sandbox/clock.ts";
import { bootMs, endOf, nextTerm, rentalAt, type StoredRental } from "../../src/sandbox/rentals/lifecycle.ts";
import { hourlyCents, termCents, termDiscounts } from "../../src/sandbox/rentals/prices.ts";
import { fc } from "../support/property.ts";
import { start } from "./harness.ts";

const rental: fc.Arbitrary<StoredRental> = fc.record({
  rentalType: fc.constantFrom(...rentalTypes),
  gpuType: fc.constantFrom(...gpuTypes),
  gpuCount: fc.integer({ min: 1, max: 4096 }),
  discountPercentage: fc.double({ min: 0, max: 99.9, noNaN: true }),
  region: fc.constant<"us-central-1">("us-central-1"),
  networkType: fc.constant<"ethernet">("ethernet"),
  termType: fc.constant<"on-demand">("on-demand"),
  convertToOnDemandOnExpiry: fc.boolean(),
  createdAt: fc.integer({ min: start, max: start + dayMs }),
  terms: fc.constant([]),
});
const days = fc.integer({ min: 1, max: 500 });
const elapsed = fc.integer({ min: 0, max: 1000 * dayMs });

const withTerm = (stored: StoredRental, length: number, now: number): StoredRental => ({
  ...stored,
  terms: [...stored.terms, nextTerm(stored, length, now)],
});

test("what a rental has cost never goes down as time passes", () => {
  fc.assert(
    fc.property(rental, days, elapsed, elapsed, (stored, length, one, other) => {
      const reserved = withTerm(stored, length, stored.createdAt);
      const billed = (after: number) => rentalAt(reserved, stored.createdAt + after).billedCents;
      expect(billed(Math.max(one, other))).toBeGreaterThanOrEqual(billed(Math.min(one, other)));
    }),
  );
});

test("a term costs what the price list says, to the cent", () => {
  fc.assert(
    fc.property(rental, days, days, (stored, first, second) => {
      const one = withTerm({ ...stored, convertToOnDemandOnExpiry: false }, first, stored.createdAt);
      const two = withTerm(one, second, stored.createdAt);
      const { billedCents, status } = rentalAt(two, endOf(two) ?? Number.NaN);
      expect(status).toBe("Terminated");
      expect(billedCents).toBe(termCents(stored, first) + termCents(stored, second));
    }),
  );
});

test("on-demand time is billed by the second and rounded down to the cent", () => {
  fc.assert(
    fc.property(rental, elapsed, (stored, after) => {
      const now = stored.createdAt + bootMs[stored.rentalType] + after;
      const exact = (Math.floor(after / 1000) * 1000 * hourlyCents(stored)) / hourMs;
      expect(rentalAt(stored, now).billedCents).toBe(Math.floor(exact));
    }),
  );
});

test("a rental is first Pending, then Running, then Terminated", () => {
  fc.assert(
    fc.property(rental, days, elapsed, (stored, length, after) => {
      const reserved = withTerm(stored, length, stored.createdAt);
      const now = stored.createdAt + after;
      const end = endOf(reserved);
      const boot = stored.createdAt + bootMs[stored.rentalType];
      const expected = end !== null && now >= end ? "Terminated" : now >= boot ? "Running" : "Pending";
      expect(rentalAt(reserved, now).status).toBe(expected);
    }),
  );
});

test("a rental that ended before it ran has cost nothing", () => {
  fc.assert(
    fc.property(rental, elapsed, (stored, after) => {
      const ended = { ...stored, terminatedAt: stored.createdAt + 1 };
      const now = rentalAt(ended, stored.createdAt + 1 + after);
      expect(now).toMatchObject({ status: "Terminated", startedAt: null, billedCents: 0 });
    }),
  );
});

test("a price is in whole cents, and a longer term never costs more per hour", () => {
  fc.assert(
    fc.property(rental, days, days, (stored, one, other) => {
      const [shorter, longer] = [Math.min(one, other), Math.max(one, other)];
      expect(Number.isInteger(termCents(stored, longer))).toBe(true);
      expect(hourlyCents(stored, longer)).toBeLessThanOrEqual(hourlyCents(stored, shorter));
      expect(hourlyCents(stored, longer)).toBeGreaterThanOrEqual(1);
    }),
  );
});

test("a term of at least 30, 90 or 365 days gets the discount for that length", () => {
  const gpu = { gpuType: "h100", gpuCount: 1, discountPercentage: 0 } as const;
  expect([29, 30, 89, 90, 364, 365].map((length) => hourlyCents(gpu, length))).toEqual([
    200, 180, 180, 160, 160, 140,
  ]);
  expect(termDiscounts.map((discount) => discount.days)).toEqual([365, 90, 30]);
});
