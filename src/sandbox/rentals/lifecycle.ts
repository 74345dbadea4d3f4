import type { rentalTypes, termTypes } from "../../contract/enums.ts";
import type { bootOutcomes } from "../../core/sandbox.ts";
import type { ServedInputOf } from "../assumed/index.ts";
import { dayMs, secondMs, wholeSecond } from "../clock.ts";
import { hourlyCents } from "./prices.ts";

export type RentalType = (typeof rentalTypes)[number];

/** The time from creation to Running, in milliseconds. */
export const bootMs: Readonly<Record<RentalType, number>> = {
  "virtual-machine": 2 * secondMs,
  "bare-metal": 4 * secondMs,
};

/** A boot that does not end as usual. */
export interface Boot {
  readonly outcome: (typeof bootOutcomes)[number];
  /** Milliseconds until the rental is Running or has failed. For a boot that never ends, this is the usual time. */
  readonly afterMs: number;
}

/** A period with a fixed price; times are in milliseconds since 1970. */
export interface ReservedTerm {
  readonly from: number;
  readonly until: number;
  readonly costPerHourCents: number;
}

/** The input that a rental is created with: checked, and with defaults filled in. */
export type RentalInput = ServedInputOf<"createRental">;

/** Where a machine of a rental accepts ssh connections. */
export type SshAddress = { readonly host: string; readonly port: number; readonly user: string };

/**
 * A rental as stored: its input and later changes. Its state at any moment is computed from these. The contract defines
 * the fields of the input; a rental stored by an older version may lack some.
 */
export type StoredRental = RentalInput & {
  readonly createdAt: number;
  /** Reserved terms in order; all other time is on-demand. */
  readonly terms: readonly ReservedTerm[];
  readonly terminatedAt?: number;
  /** When a situation makes the rental fail. */
  readonly failsAt?: number | undefined;
  /** How it boots, if not as usual. */
  readonly boot?: Boot | undefined;
  /** The public keys with which the rental was created. They stay when an SSH key is deleted. */
  readonly sshPublicKeys?: readonly string[] | undefined;
  /** Its addresses, if a seed set them. */
  readonly sshNetworking?: readonly SshAddress[] | undefined;
};

/** The state of a rental at one moment. */
export interface RentalState {
  readonly status: "Pending" | "Running" | "Failed" | "Terminated";
  readonly startedAt: number | null;
  readonly terminatedAt: number | null;
  readonly termType: (typeof termTypes)[number];
  /** The length and the end of the consecutive reserved terms; null if the rental is on demand. */
  readonly termPeriodDays: number | null;
  readonly reservedUntil: number | null;
  readonly costPerHourCents: number;
  /** The cost so far. Every whole second is billed from when the rental starts to run until it ends or fails. */
  readonly billedCents: number;
}

/** When the boot of a rental ends. If it never ends, when it would usually have ended. */
const bootEnd = ({ createdAt, boot, rentalType }: StoredRental): number =>
  createdAt + (boot?.afterMs ?? bootMs[rentalType]);

/** When the boot of a rental ends and it runs; infinite if the boot fails or never ends. */
export const runningFrom = (rental: StoredRental): number =>
  rental.boot === undefined || rental.boot.outcome === "slow" ? bootEnd(rental) : Number.POSITIVE_INFINITY;

/** When a rental ends: at its termination, or with its last term if it does not continue on demand. Null if unknown. */
export function endOf(rental: StoredRental): number | null {
  const ends = [
    rental.terminatedAt,
    rental.convertToOnDemandOnExpiry ? undefined : rental.terms.at(-1)?.until,
  ].filter((end) => end !== undefined);
  return ends.length === 0 ? null : Math.min(...ends);
}

export function rentalAt(rental: StoredRental, now: number): RentalState {
  const end = endOf(rental);
  const ended = end !== null && end <= now;
  const started = runningFrom(rental) <= (ended ? end : now);
  const bootFailed = rental.boot?.outcome === "failed" && bootEnd(rental) <= now;
  const failed = bootFailed || (rental.failsAt !== undefined && rental.failsAt <= now);
  // A rental that has ended is shown as it was just before its end: its last term still sets the type and the price.
  const moment = ended ? end - 1 : now;
  const upcoming = rental.terms.filter((term) => term.until > moment);
  const current = upcoming[0];
  return {
    status: ended ? "Terminated" : failed ? "Failed" : started ? "Running" : "Pending",
    startedAt: started ? runningFrom(rental) : null,
    terminatedAt: ended ? end : null,
    termType: current ? "reserved" : "on-demand",
    termPeriodDays: current ? consecutiveDays(rental.terms) : null,
    reservedUntil: upcoming.at(-1)?.until ?? null,
    costPerHourCents: current?.costPerHourCents ?? hourlyCents(rental),
    billedCents: billedBefore(rental, now).cents,
  };
}

/** The next moment at which something other than the cost of a rental may change; infinite if there is none. */
export function nextChange(rental: StoredRental, now: number): number {
  const moments = [bootEnd(rental), rental.failsAt, endOf(rental), ...rental.terms.map(({ until }) => until)];
  return Math.min(...moments.map((moment) => moment ?? now).filter((moment) => moment > now));
}

/**
 * The next reserved term. It starts when the last term ends. If no term is left, it starts now, or when the boot ends
 * if that is later.
 */
export function nextTerm(rental: StoredRental, days: number, now: number): ReservedTerm {
  const last = rental.terms.at(-1);
  const from = last && last.until > now ? last.until : Math.max(now, bootEnd(rental));
  return { from, until: wholeSecond(from) + days * dayMs, costPerHourCents: hourlyCents(rental, days) };
}

/** The total length in days of the latest terms that follow each other without a gap. */
function consecutiveDays(terms: readonly ReservedTerm[]): number {
  const first = terms.findLast((term, index) => terms[index - 1]?.until !== term.from);
  return first ? Math.floor(((terms.at(-1) ?? first).until - first.from) / dayMs) : 0;
}

/** When billing ends: when the rental ends or fails. Null if neither is known. */
export function billingEnd(rental: StoredRental): number | null {
  const ends = [endOf(rental), rental.failsAt ?? null].filter((end) => end !== null);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** Billed time in whole seconds, and its cost in whole cents. */
interface Billed {
  readonly seconds: number;
  readonly cents: number;
}

/**
 * The cost of a rental until a moment. Billing starts when the rental starts to run, and stops when it ends or fails.
 * Each period with one price is billed per whole second. The sum is computed exactly and rounded down once.
 */
export function billedBefore(rental: StoredRental, moment: number): Billed {
  const until = Math.min(moment, billingEnd(rental) ?? moment);
  const seconds = (from: number, to: number): number =>
    Math.max(0, Math.floor((Math.min(to, until) - Math.max(from, runningFrom(rental))) / secondMs));
  const reserved = rental.terms.map((term) => ({
    seconds: seconds(term.from, term.until),
    cents: term.costPerHourCents,
  }));
  const all = seconds(runningFrom(rental), until);
  const onDemand = all - reserved.reduce((total, term) => total + term.seconds, 0);
  const spans = [...reserved, { seconds: onDemand, cents: hourlyCents(rental) }];
  const cents = Math.floor(spans.reduce((total, span) => total + span.seconds * span.cents, 0) / 3600);
  return { seconds: all, cents };
}
