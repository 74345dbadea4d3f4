import fc from "fast-check";
import { expect, test } from "vitest";
import { dayMs, secondMs } from "../../src/sandbox/clock.ts";
import { balanceAt, usageIn, usageLines } from "../../src/sandbox/ledger.ts";
import { bootMs, nextTerm, rentalAt, type StoredRental } from "../../src/sandbox/lifecycle.ts";
import { start } from "./harness.ts";

const rental: StoredRental = {
  rentalType: "virtual-machine",
  gpuType: "h100",
  gpuCount: 1,
  discountPercentage: 0,
  region: "us-central-1",
  networkType: "ethernet",
  convertToOnDemandOnExpiry: true,
  monitoringEnabled: false,
  sshPublicKeyIds: [],
  createdAt: start,
  terms: [],
};
const running = start + bootMs["virtual-machine"];
const numbered = [{ id: 1001, rental }];

test("an hour on demand is its price, and boot costs nothing", () => {
  expect(usageIn(rental, { from: start, until: running })).toEqual({ seconds: 0, cents: 0 });
  expect(usageIn(rental, { from: start, until: running + 3600 * secondMs })).toEqual({
    seconds: 3600,
    cents: 200,
  });
});

test("a term and the time after it are each at their price", () => {
  const reserved = { ...rental, terms: [nextTerm(rental, 30, start)] };
  const span = { from: start, until: running + 31 * dayMs };
  expect(usageIn(reserved, span)).toEqual({ seconds: 31 * 86_400, cents: 30 * 24 * 180 + 24 * 200 });
});

test("usage ends with the rental", () => {
  const ended = { ...rental, terminatedAt: running + 3600 * secondMs };
  expect(usageIn(ended, { from: start, until: start + 30 * dayMs })).toEqual({ seconds: 3600, cents: 200 });
});

test("spans that follow on one another add up to the whole, to the cent", () => {
  const moment = fc.integer({ min: 0, max: 400 * dayMs });
  fc.assert(
    fc.property(moment, moment, moment, (...after) => {
      const [one = 0, two = 0, three = 0] = after.map((ms) => start + ms).sort((a, b) => a - b);
      const terms = [nextTerm(rental, 90, start)];
      const usage = (from: number, until: number) => usageIn({ ...rental, terms }, { from, until }).cents;
      expect(usage(one, two) + usage(two, three)).toBe(usage(one, three));
    }),
  );
});

test("what a rental says it was billed is what the ledger says", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 900 * dayMs }),
      fc.boolean(),
      (after, convertToOnDemandOnExpiry) => {
        const one = { ...rental, convertToOnDemandOnExpiry, terms: [nextTerm(rental, 365, start)] };
        const until = start + after;
        expect(usageIn(one, { from: start, until }).cents).toBe(rentalAt(one, until).billedCents);
      },
    ),
  );
});

test("only what used something has a line", () => {
  const idle = { id: 1002, rental: { ...rental, createdAt: start + dayMs } };
  const span = { from: start, until: start + dayMs };
  expect(usageLines([...numbered, idle], span)).toEqual([
    { rentalId: 1001, rental, seconds: 86_398, cents: 4799 },
  ]);
});

test("the balance runs down, and below zero", () => {
  const hour = running + 3600 * secondMs;
  expect(balanceAt(500, numbered, start)).toEqual({ creditCents: 500, usedCents: 0, balanceCents: 500 });
  expect(balanceAt(500, numbered, hour)).toEqual({ creditCents: 500, usedCents: 200, balanceCents: 300 });
  expect(balanceAt(500, numbered, hour + 3600 * 2 * secondMs).balanceCents).toBe(-100);
});
