import type { Issue } from "../../contract/check/check.ts";
import type { CheckedInputOf } from "../../contract/index.ts";
import { stamp } from "../clock.ts";
import { issueIf, throwIfInvalid } from "../errors.ts";
import { termIssues } from "../rentals/create.ts";
import { nextTerm, type ReservedTerm, rentalAt } from "../rentals/lifecycle.ts";
import { termCents } from "../rentals/prices.ts";
import { saveRental } from "../tables/rentals.ts";
import type { Call, Handlers } from "./handler.ts";
import { activeRental } from "./rentals.ts";

/**
 * Adds a reserved term to an active rental whose term type is `from`. `mismatches` returns issues if the request
 * expects a different term.
 */
function addTerm(
  request: CheckedInputOf<"convertToReserved">,
  call: Call,
  from: "on-demand" | "reserved",
  mismatches: (term: ReservedTerm) => readonly Issue[] = () => [],
) {
  const { store, now } = call;
  const { rentalId, termPeriodDays: days, expectedTotalPriceCents } = request;
  return store.write(() => {
    const { id, rental } = activeRental(rentalId, call);
    const { termType } = rentalAt(rental, now);
    throwIfInvalid(...issueIf(termType !== from, "rentalId", `must be ${from}, but is ${termType}`));
    const term = nextTerm(rental, days, now);
    throwIfInvalid(...termIssues(term));
    const totalPriceCents = termCents(rental, days);
    const price = `must be ${totalPriceCents}, the price in cents of ${days} days`;
    throwIfInvalid(
      ...issueIf(expectedTotalPriceCents !== totalPriceCents, "expectedTotalPriceCents", price),
      ...mismatches(term),
    );
    const reserved = { ...rental, terms: [...rental.terms, term] };
    saveRental(store, { id, rental: reserved });
    const { termType: newTermType, termPeriodDays, costPerHourCents } = rentalAt(reserved, now);
    return {
      rentalId: id,
      termType: newTermType,
      termPeriodDays,
      totalPriceCents,
      costPerHourCents,
      reservedUntil: stamp(term.until),
    };
  });
}

export const reserve = {
  convertToReserved: (input, call) => addTerm(input, call, "on-demand"),

  extendReserved: (input, call) =>
    addTerm(input, call, "reserved", ({ until }) => {
      const message = `must be ${stamp(until)}, the time at which the extended term ends`;
      return issueIf(Date.parse(input.expectedReservedUntil) !== until, "expectedReservedUntil", message);
    }),

  requestReservation: ({ gpuCount }) => ({
    message: `The sandbox received your request for ${gpuCount} GPUs, and does not forward it to anyone.`,
  }),
} satisfies Partial<Handlers>;
