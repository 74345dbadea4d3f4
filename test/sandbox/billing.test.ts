import { expect, onTestFinished, test } from "vitest";
import { dayMs, secondMs } from "../../src/sandbox/clock.ts";
import { billedBefore, bootMs, nextTerm, rentalAt } from "../../src/sandbox/rentals/lifecycle.ts";
import { builtInUserId } from "../../src/sandbox/store/schema.ts";
import { openStore } from "../../src/sandbox/store/store.ts";
import { addRental, saveRental } from "../../src/sandbox/tables/rentals.ts";
import { activeSums, billedCents } from "../../src/sandbox/tables/sums.ts";
import { fc, runs } from "../support/property.ts";
import { anyRental, rental } from "./any-rental.ts";
import { start } from "./harness.ts";

const running = start + bootMs["virtual-machine"];

test("an hour on demand costs the hourly price, and booting costs nothing", () => {
  expect(billedBefore(rental, running)).toEqual({ seconds: 0, cents: 0 });
  expect(billedBefore(rental, running + 3600 * secondMs)).toEqual({ seconds: 3600, cents: 200 });
  expect(billedBefore(rental, start + dayMs)).toEqual({ seconds: 86_398, cents: 4799 });
});

test("a rental has cost nothing when it is created", () => {
  const later = { ...rental, createdAt: start + dayMs };
  expect(billedBefore(later, start + dayMs)).toEqual({ seconds: 0, cents: 0 });
});

test("a term and the time after it have their own prices", () => {
  const reserved = { ...rental, terms: [nextTerm(rental, 30, start)] };
  const cents = 30 * 24 * 180 + 24 * 200;
  expect(billedBefore(reserved, running + 31 * dayMs)).toEqual({ seconds: 31 * 86_400, cents });
});

test("usage ends with the rental", () => {
  const ended = { ...rental, terminatedAt: running + 3600 * secondMs };
  expect(billedBefore(ended, start + 30 * dayMs)).toEqual({ seconds: 3600, cents: 200 });
});

test("costs never go down, and any period costs at least the reserved and at most the on-demand price", () => {
  const moment = fc.integer({ min: 0, max: 400 * dayMs });
  const terms = [nextTerm(rental, 90, start)];
  fc.assert(
    fc.property(moment, moment, (...after) => {
      const [one = 0, two = 0] = after.map((ms) => start + ms).sort((a, b) => a - b);
      const [before, until] = [one, two].map((at) => billedBefore({ ...rental, terms }, at));
      const seconds = (until?.seconds ?? 0) - (before?.seconds ?? 0);
      const cents = (until?.cents ?? 0) - (before?.cents ?? 0);
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(cents).toBeGreaterThanOrEqual(Math.floor((seconds * 160) / 3600));
      expect(cents).toBeLessThanOrEqual(Math.ceil((seconds * 200) / 3600));
    }),
  );
});

test("a rental's record at a time shows what was billed before that time", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 900 * dayMs }),
      fc.boolean(),
      (after, convertToOnDemandOnExpiry) => {
        const one = { ...rental, convertToOnDemandOnExpiry, terms: [nextTerm(rental, 365, start)] };
        const until = start + after;
        expect(billedBefore(one, until).cents).toBe(rentalAt(one, until).billedCents);
      },
    ),
  );
});

test("the sums that SQLite computes equal the sums of the records, to the cent", async () => {
  const store = await openStore(":memory:", start);
  onTestFinished(() => store.close());
  const moments = fc.integer({ min: start - 400 * dayMs, max: start + 900 * dayMs });
  const some = fc.array(anyRental, { maxLength: 12 });
  fc.assert(
    fc.property(some, some, moments, (added, changed, moment) => {
      store.reset(start);
      const ids = added.map((one) => addRental(store, builtInUserId, one));
      const rentals = added.map((one, index) => changed[index] ?? one);
      ids.forEach((id, index) => {
        const one = changed[index];
        if (one) saveRental(store, { id, rental: one });
      });
      addRental(store, "another user", rental);
      const billed = rentals.map((one) => billedBefore(one, moment).cents);
      expect(billedCents(store, builtInUserId, moment)).toBe(billed.reduce((sum, cents) => sum + cents, 0));
      const states = rentals
        .map((one) => rentalAt(one, moment))
        .filter(({ status }) => status !== "Terminated");
      for (const [type, sum] of Object.entries(activeSums(store, builtInUserId, moment))) {
        const prices = states.filter(({ termType }) => termType === type).map((one) => one.costPerHourCents);
        expect(sum).toEqual({
          count: prices.length,
          costPerHourCents: prices.reduce((total, cents) => total + cents, 0),
        });
      }
    }),
    runs(100),
  );
});
