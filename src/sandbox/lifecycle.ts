import type { networkTypes, rentalTypes, termTypes } from "../contract/enums.ts";
import { dayMs, secondMs, wholeSecond } from "./clock.ts";
import { hourlyCents, type Priced } from "./prices.ts";

export type RentalType = (typeof rentalTypes)[number];

/** How long a machine takes from its creation until it runs, in milliseconds. */
export const bootMs: Readonly<Record<RentalType, number>> = {
  "virtual-machine": 2 * secondMs,
  "bare-metal": 4 * secondMs,
};

/** A span that is paid at a fixed price; moments are milliseconds since 1970. */
export interface ReservedTerm {
  readonly from: number;
  readonly until: number;
  readonly costPerHourCents: number;
}

/** A rental as it is kept: what was asked for and when. What it is now follows from this and the clock. */
export interface StoredRental extends Priced {
  readonly rentalType: RentalType;
  /** Absent when the caller gave none. */
  readonly label?: string | undefined;
  readonly region: string;
  readonly networkType: (typeof networkTypes)[number];
  readonly convertToOnDemandOnExpiry: boolean;
  readonly monitoringEnabled: boolean;
  readonly cudaVersion?: string | undefined;
  readonly customPorts?: readonly number[] | undefined;
  readonly sshPublicKeyIds: readonly number[];
  readonly createdAt: number;
  /** Reserved terms in order; whatever lies outside of them is on-demand. */
  readonly terms: readonly ReservedTerm[];
  readonly terminatedAt?: number;
}

/** A rental at one moment. */
export interface RentalNow {
  readonly status: "Pending" | "Running" | "Terminated";
  readonly startedAt: number | null;
  readonly terminatedAt: number | null;
  readonly termType: (typeof termTypes)[number];
  /** Length and end of the reserved terms that follow on one another; null when on-demand. */
  readonly termPeriodDays: number | null;
  readonly reservedUntil: number | null;
  readonly costPerHourCents: number;
  /** Cents for the time from Running until now, by the whole second. */
  readonly billedCents: number;
}

const startOf = (rental: StoredRental): number => rental.createdAt + bootMs[rental.rentalType];

/** When a rental ends, as far as is known: it was ended, or its reserved term is not to go on as on-demand. */
export function endOf(rental: StoredRental): number | null {
  const ends = [
    rental.terminatedAt,
    rental.convertToOnDemandOnExpiry ? undefined : rental.terms.at(-1)?.until,
  ].filter((end) => end !== undefined);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** What a rental is at a moment: booting, running or ended, its term, and what it has cost. */
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

/** The reserved term that a rental would get: after the one that still lasts, else from now or the end of its boot. */
export function nextTerm(rental: StoredRental, days: number, now: number): ReservedTerm {
  const last = rental.terms.at(-1);
  const from = last && last.until > now ? last.until : Math.max(now, startOf(rental));
  return { from, until: wholeSecond(from) + days * dayMs, costPerHourCents: hourlyCents(rental, days) };
}

/** Days from the start to the end of the terms that end with the last one, with no gap between them. */
function wholeDays(terms: readonly ReservedTerm[]): number {
  const first = terms.findLast((term, index) => terms[index - 1]?.until !== term.from);
  return first ? Math.floor(((terms.at(-1) ?? first).until - first.from) / dayMs) : 0;
}

/** Time that is billed, in whole seconds, and what it costs in whole cents. */
export interface Billed {
  readonly seconds: number;
  readonly cents: number;
}

/**
 * What a rental has cost until a moment. Each span of one price counts its whole seconds from Running on; the cents of
 * all spans are added up exactly and rounded down once.
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
