import type { rentalTypes, termTypes } from "../../contract/enums.ts";
import type { ServedInputOf } from "../assumed/index.ts";
import { dayMs, secondMs, wholeSecond } from "../clock.ts";
import { hourlyCents } from "./prices.ts";

export type RentalType = (typeof rentalTypes)[number];

/** The time from creation to Running, in milliseconds. */
export const bootMs: Readonly<Record<RentalType, number>> = {
  "virtual-machine": 2 * secondMs,
  "bare-metal": 4 * secondMs,
};

/** A period with a fixed price; times are in milliseconds since 1970. */
export interface ReservedTerm {
  readonly from: number;
  readonly until: number;
  readonly costPerHourCents: number;
}

/** What a rental is created with, checked, defaults filled in. */
export type RentalInput = ServedInputOf<"createRental">;

/**
 * A rental as it is stored: its input, and what happened to it since. Its state at a moment follows from this and the clock.
 * The contract decides which fields the input has; one stored by an older version may lack some.
 */
export type StoredRental = RentalInput & {
  readonly createdAt: number;
  /** Reserved terms in order; all other time is on-demand. */
  readonly terms: readonly ReservedTerm[];
  readonly terminatedAt?: number;
};

/** A rental at one moment. */
export interface RentalNow {
  readonly status: "Pending" | "Running" | "Terminated";
  readonly startedAt: number | null;
  readonly terminatedAt: number | null;
  readonly termType: (typeof termTypes)[number];
  /** Length and end of the consecutive reserved terms; null when on-demand. */
  readonly termPeriodDays: number | null;
  readonly reservedUntil: number | null;
  readonly costPerHourCents: number;
  /** The cost so far, by the whole second from Running on. */
  readonly billedCents: number;
}

const startOf = (rental: StoredRental): number => rental.createdAt + bootMs[rental.rentalType];

/** When a rental ends: it was terminated, or does not continue on demand after its reserved term. Null if unknown. */
export function endOf(rental: StoredRental): number | null {
  const ends = [
    rental.terminatedAt,
    rental.convertToOnDemandOnExpiry ? undefined : rental.terms.at(-1)?.until,
  ].filter((end) => end !== undefined);
  return ends.length === 0 ? null : Math.min(...ends);
}

export function rentalAt(rental: StoredRental, now: number): RentalNow {
  const end = endOf(rental);
  const ended = end !== null && end <= now;
  const started = startOf(rental) <= (ended ? end : now);
  const moment = ended ? end - 1 : now;
  const upcoming = rental.terms.filter((term) => term.until > moment);
  const current = upcoming[0];
  return {
    status: ended ? "Terminated" : started ? "Running" : "Pending",
    startedAt: started ? startOf(rental) : null,
    terminatedAt: ended ? end : null,
    termType: current ? "reserved" : "on-demand",
    termPeriodDays: current ? wholeDays(rental.terms) : null,
    reservedUntil: upcoming.at(-1)?.until ?? null,
    costPerHourCents: current?.costPerHourCents ?? hourlyCents(rental),
    billedCents: billedBefore(rental, now).cents,
  };
}

/** The next reserved term: after the current one, or from now or the end of the boot. */
export function nextTerm(rental: StoredRental, days: number, now: number): ReservedTerm {
  const last = rental.terms.at(-1);
  const from = last && last.until > now ? last.until : Math.max(now, startOf(rental));
  return { from, until: wholeSecond(from) + days * dayMs, costPerHourCents: hourlyCents(rental, days) };
}

/** The length in days of the last terms that follow each other without a gap. */
function wholeDays(terms: readonly ReservedTerm[]): number {
  const first = terms.findLast((term, index) => terms[index - 1]?.until !== term.from);
  return first ? Math.floor(((terms.at(-1) ?? first).until - first.from) / dayMs) : 0;
}

/** Billed time in whole seconds, and its cost in whole cents. */
interface Billed {
  readonly seconds: number;
  readonly cents: number;
}

/**
 * The cost of a rental until a moment. Each period of one price is billed by the whole second from Running on; the sum is
 * computed exactly and rounded down once.
 */
export function billedBefore(rental: StoredRental, moment: number): Billed {
  const until = Math.min(moment, endOf(rental) ?? moment);
  const seconds = (from: number, to: number): number =>
    Math.max(0, Math.floor((Math.min(to, until) - Math.max(from, startOf(rental))) / secondMs));
  const reserved = rental.terms.map((term) => ({
    seconds: seconds(term.from, term.until),
    cents: term.costPerHourCents,
  }));
  const all = seconds(startOf(rental), until);
  const onDemand = all - reserved.reduce((total, term) => total + term.seconds, 0);
  const spans = [...reserved, { seconds: onDemand, cents: hourlyCents(rental) }];
  const cents = Math.floor(spans.reduce((total, span) => total + span.seconds * span.cents, 0) / 3600);
  return { seconds: all, cents };
}

/** A credit in cents, what the rentals have used of it until a moment, and what is left. Below zero nothing stops. */
export function balanceAt(
  creditCents: number,
  rentals: readonly { readonly rental: StoredRental }[],
  moment: number,
): { readonly creditCents: number; readonly usedCents: number; readonly balanceCents: number } {
  const usedCents = rentals.reduce((total, { rental }) => total + billedBefore(rental, moment).cents, 0);
  return { creditCents, usedCents, balanceCents: creditCents - usedCents };
}
