import type { Issue } from "../../contract/check.ts";
import type { Id } from "../../contract/shared.ts";
import { stamp } from "../clock.ts";
import { nextTerm, type ReservedTerm, rentalAt } from "../lifecycle.ts";
import { tooLong } from "../new-rental.ts";
import { termCents } from "../prices.ts";
import { issue, refuse, required } from "../refusal.ts";
import { findRental, type NumberedRental, saveRental } from "../tables/rentals.ts";
import type { Call, Handlers } from "./handler.ts";

interface Wanted {
  readonly rentalId: Id;
  readonly termPeriodDays: number;
  readonly expectedTotalPriceCents: number;
}

type TermType = "on-demand" | "reserved";

/** Adds a reserved term to an active rental of the given term type; `disagreements` hold the term against the request. */
function addTerm(
  wanted: Wanted,
  call: Call,
  from: TermType,
  disagreements: (term: ReservedTerm) => readonly Issue[] = () => [],
) {
  const { store, now } = call;
  return store.write(() => {
    const { id, rental } = activeRental(wanted.rentalId, call, from);
    const days = wanted.termPeriodDays;
    const term = nextTerm(rental, days, now);
    refuse(...tooLong(term));
    const totalPriceCents = termCents(rental, days);
    refuse(...priceIssues(wanted, totalPriceCents), ...disagreements(term));
    const reserved = { ...rental, terms: [...rental.terms, term] };
    saveRental(store, { id, rental: reserved });
    const { termType, termPeriodDays, costPerHourCents } = rentalAt(reserved, now);
    return {
      rentalId: id,
      termType,
      termPeriodDays,
      totalPriceCents,
      costPerHourCents,
      reservedUntil: stamp(term.until),
    };
  });
}

function activeRental(rentalId: Id, { store, userId, now }: Call, termType: TermType): NumberedRental {
  const unknown = `no active rental has the id ${rentalId}`;
  const found = required(findRental(store, userId, rentalId), "rentalId", unknown);
  const current = rentalAt(found.rental, now);
  if (current.status === "Terminated") refuse(issue("rentalId", unknown));
  if (current.termType !== termType) {
    refuse(issue("rentalId", `must be ${termType}, but is ${current.termType}`));
  }
  return found;
}

const priceIssues = ({ expectedTotalPriceCents, termPeriodDays }: Wanted, price: number): Issue[] =>
  expectedTotalPriceCents === price
    ? []
    : [issue("expectedTotalPriceCents", `must be ${price}, the price in cents of ${termPeriodDays} days`)];

export const reserve = {
  convertToReserved: (input, call) => addTerm(input, call, "on-demand"),

  extendReserved: (input, call) =>
    addTerm(input, call, "reserved", ({ until }) =>
      Date.parse(input.expectedReservedUntil) === until
        ? []
        : [issue("expectedReservedUntil", `must be ${stamp(until)}, the end after the extension`)],
    ),

  requestReservation: ({ gpuCount }) => ({
    message: `Your request for ${gpuCount} GPUs reached the sandbox, which sends it to nobody.`,
  }),
} satisfies Partial<Handlers>;
