import { dayMs } from "../../src/sandbox/clock.ts";
import { nextTerm, type ReservedTerm, type StoredRental } from "../../src/sandbox/rentals/lifecycle.ts";
import { fc } from "../support/property.ts";
import { start } from "./harness.ts";

export const rental: StoredRental = {
  rentalType: "virtual-machine",
  gpuType: "h100",
  gpuCount: 1,
  discountPercentage: 0,
  region: "us-central-1",
  networkType: "ethernet",
  termType: "on-demand",
  convertToOnDemandOnExpiry: true,
  createdAt: start,
  terms: [],
};

/**
 * Rentals up to 400 days old, with any boot outcome and zero to three terms. They may end or fail within 500 days of
 * their creation.
 */
export const anyRental: fc.Arbitrary<StoredRental> = fc
  .record({
    label: fc.option(fc.constantFrom('"billedCents":0', "\u00e9"), { nil: undefined }),
    gpuType: fc.constantFrom("h100", "b200"),
    gpuCount: fc.integer({ min: 1, max: 64 }),
    discountPercentage: fc.constantFrom(0, 12.5, 99.9),
    convertToOnDemandOnExpiry: fc.boolean(),
    createdAt: fc.integer({ min: start - 400 * dayMs, max: start }),
    boot: fc.option(
      fc.record({
        outcome: fc.constantFrom("slow", "failed", "never"),
        afterMs: fc.integer({ min: 0, max: 3 * dayMs }),
      }),
      { nil: undefined },
    ),
    days: fc.array(fc.constantFrom(1, 30, 90, 365), { maxLength: 3 }),
    terminatedAfter: fc.option(fc.integer({ min: 0, max: 500 * dayMs }), { nil: undefined }),
    failsAfter: fc.option(fc.integer({ min: 0, max: 500 * dayMs }), { nil: undefined }),
  })
  .map(({ days, terminatedAfter, failsAfter, ...fields }) => {
    const { createdAt } = fields;
    const terms: ReservedTerm[] = [];
    for (const length of days) terms.push(nextTerm({ ...rental, ...fields, terms }, length, createdAt));
    return {
      ...rental,
      ...fields,
      terms,
      ...(terminatedAfter !== undefined && { terminatedAt: createdAt + terminatedAfter }),
      ...(failsAfter !== undefined && { failsAt: createdAt + failsAfter }),
    };
  });
