import type { Processes } from "../core/tasks/lock.ts";
import { maxLease, timeUnits } from "../core/values/durations.ts";
import { endOf, isOver, type Lease, type Leases } from "./leases.ts";

/** The fields of an active rental that matter for leases. */
export interface ActiveRental {
  readonly id: string;
  readonly label: string | undefined;
  /** Milliseconds since the epoch; undefined if the service does not say, or uses an unknown format. */
  readonly createdAt: number | undefined;
}

/**
 * What a guard finds when it compares the leases of a service with its active rentals. A lease without a rental ID is
 * pending.
 */
export interface LeaseRound {
  /** Leases that are over according to all clocks: their rentals should end. */
  readonly over: readonly Lease[];
  /** Leases that are over according to at least one clock, but not according to all. */
  readonly disputed: readonly Lease[];
  /**
   * Leases that end with a process and not at a set time. The process is on another machine or in another container, so
   * it cannot be checked from here.
   */
  readonly unchecked: readonly Lease[];
  /** Leases that will be over soon. */
  readonly endingSoon: readonly Lease[];
  /** Pending leases whose rental is certain, each with its rental. */
  readonly found: readonly { readonly lease: Lease; readonly rental: ActiveRental }[];
  /** Pending leases whose rental is uncertain, each with the rentals that it may belong to. */
  readonly unclear: readonly { readonly lease: Lease; readonly candidates: readonly ActiveRental[] }[];
  /** Pending leases whose rental does not exist, has ended, or belongs to another account. */
  readonly vanished: readonly Lease[];
  /** Pending leases that are no longer needed: the user has decided about each rental that they may belong to. */
  readonly settled: readonly Lease[];
  /** Active rentals that have no lease, and that no pending lease may belong to. */
  readonly unleased: readonly ActiveRental[];
}

export interface RoundOptions {
  readonly service: string;
  /**
   * Undefined if not all active rentals are known. Then only leases that have a rental ID or belong to a job are
   * considered.
   */
  readonly rentals: readonly ActiveRental[] | undefined;
  /** The active rentals of the type that jobs use; undefined if they are not known. */
  readonly jobRentals: readonly ActiveRental[] | undefined;
  /**
   * The current time according to each clock to consider, in milliseconds since the epoch. The first is the clock of
   * the service.
   */
  readonly times: readonly number[];
  /** How long before its end a lease counts as ending soon, in milliseconds. */
  readonly warn: number;
  readonly processes: Pick<Processes, "isRunning" | "isHere">;
}

/** The longest time that creating a rental is expected to take, in milliseconds. */
const longestCreate = 10 * timeUnits[2].milliseconds;

/**
 * How much clocks may differ, in milliseconds. A rental that was created up to this long before its lease was saved may
 * still belong to the lease. Such a match is certain only if the label of the rental contains the token of the lease.
 */
const tolerance = timeUnits[2].milliseconds;

/** Sorts the leases of a service, and its active rentals, by what should happen to them. Changes nothing. */
export function leaseRound({ leases }: Leases, options: RoundOptions): LeaseRound {
  const { service, rentals, jobRentals, times, warn, processes } = options;
  const own = leases.filter((lease) => lease.service === service);
  const bound = own.filter(({ rentalId }) => rentalId !== undefined);
  const leasedIds = new Set(bound.map(({ rentalId }) => rentalId));
  const isUnleased = ({ id }: ActiveRental) => !leasedIds.has(id);
  const over = bound.filter((lease) => isOverByAll(lease, times, processes));
  const started = bound.filter((lease) => !over.includes(lease));
  const isOverByOne = (lease: Lease) => times.some((now) => isOver(lease, now, processes));
  const active = new Set(rentals?.map(({ id }) => id));
  const pending = { ...options, isUnleased, all: own };
  const resolved = own.flatMap((lease) => {
    const listed = rentals ?? (isOfJob(lease) ? jobRentals : undefined);
    return listed === undefined ? [] : resolve(lease, listed, pending);
  });
  const maybeLeased = new Set(resolved.flatMap(({ candidates }) => candidates));
  return {
    over,
    disputed: started.filter(isOverByOne),
    unchecked: started.filter(
      ({ endsAt, startedAt, endsWithProcess, process, rentalId }) =>
        endsWithProcess === true &&
        process !== undefined &&
        !processes.isHere(process) &&
        endsAt - startedAt >= maxLease &&
        (rentals === undefined || active.has(rentalId ?? "")),
    ),
    endingSoon: started.filter(
      (lease) =>
        !isOverByOne(lease) &&
        times.some((now) => endOf(lease, processes) - now <= warn) &&
        (rentals === undefined || active.has(lease.rentalId ?? "")),
    ),
    found: resolved.flatMap(({ lease, state, candidates: [rental] }) =>
      state === "found" && rental ? [{ lease, rental }] : [],
    ),
    unclear: resolved.filter(({ state }) => state === "unclear"),
    vanished: resolved.flatMap(({ lease, state }) => (state === "vanished" ? [lease] : [])),
    settled: resolved.flatMap(({ lease, state }) => (state === "settled" ? [lease] : [])),
    unleased: (rentals ?? []).filter((rental) => isUnleased(rental) && !maybeLeased.has(rental)),
  };
}

/** Whether a lease belongs to a job: `rentals run` puts the token of the lease into the label of the rental. */
const isOfJob = ({ label, token }: Lease): boolean => label?.includes(token) === true;

/** Whether a lease is over according to all clocks. */
export const isOverByAll = (
  lease: Lease,
  times: readonly number[],
  processes: Pick<Processes, "isRunning">,
): boolean => times.every((now) => isOver(lease, now, processes));

interface PendingOptions extends Pick<RoundOptions, "times" | "processes"> {
  readonly isUnleased: (rental: ActiveRental) => boolean;
  /** All leases of the service. */
  readonly all: readonly Lease[];
}

/** A pending lease, and the rentals that it may belong to. If the lease is `found`, there is exactly one rental. */
interface Resolved {
  readonly lease: Lease;
  readonly state: "found" | "unclear" | "vanished" | "settled" | "under-way";
  readonly candidates: readonly ActiveRental[];
}

/**
 * Looks for the rental of a pending lease. Returns nothing for any other lease.
 *
 * The rental is certain if it has the label of the lease and all of these are true:
 * - No other active rental has this label.
 * - No other pending lease with this label can belong to the rental.
 * - The rental was created after the lease was saved, but at most `longestCreate` later. If the label contains the
 *   token of the lease, the label was made for this lease, so the clocks may differ a little.
 * - The user has not decided about any rental that fits the lease. Otherwise, the rental of the lease may be one that
 *   the user has decided about.
 */
function resolve(
  lease: Lease,
  rentals: readonly ActiveRental[],
  { times, processes, isUnleased, all }: PendingOptions,
): readonly Resolved[] {
  if (lease.rentalId !== undefined) return [];
  const { label, process, notRentals = [] } = lease;
  const candidates = rentals.filter(
    (rental) =>
      isUnleased(rental) &&
      !notRentals.includes(rental.id) &&
      createdWithin(lease, rental, tolerance) !== false &&
      (label === undefined || rental.label === undefined || rental.label === label),
  );
  const isLate = times.every((now) => now > latestCreate(lease));
  const mayRun = process !== undefined && processes.isRunning(process);
  if (mayRun && !isLate) return [{ lease, state: "under-way", candidates }];
  const [named, ...others] = rentals.filter((rental) => label !== undefined && rental.label === label);
  const isOnlyLease = !all.some(
    (one) =>
      one !== lease &&
      one.rentalId === undefined &&
      one.label === label &&
      named !== undefined &&
      !one.notRentals?.includes(named.id) &&
      createdWithin(one, named, tolerance) !== false,
  );
  const slack = isOfJob(lease) ? tolerance : 0;
  const isCertain =
    named &&
    others.length === 0 &&
    isOnlyLease &&
    notRentals.length === 0 &&
    createdWithin(lease, named, slack) === true;
  if (isCertain && isUnleased(named)) return [{ lease, state: "found", candidates: [named] }];
  if (candidates.length > 0) return [{ lease, state: "unclear", candidates }];
  const isSettled = rentals.some(({ id }) => notRentals.includes(id));
  return [{ lease, state: isSettled ? "settled" : "vanished", candidates }];
}

/**
 * The leases after the user has decided about a rental, by setting or removing its lease. From now on, no guard gives
 * the ID of this rental to a pending lease that fits the rental. The pending lease itself stays, because its request
 * may be under way, or may have created another rental with the same label.
 */
export const withDecision = (
  leases: readonly Lease[],
  service: string,
  rental: ActiveRental,
): readonly Lease[] =>
  leases.map((lease) => {
    const fits =
      lease.service === service &&
      lease.rentalId === undefined &&
      lease.label !== undefined &&
      lease.label === rental.label &&
      createdWithin(lease, rental, tolerance) !== false;
    if (!fits || lease.notRentals?.includes(rental.id)) return lease;
    return { ...lease, notRentals: [...(lease.notRentals ?? []), rental.id] };
  });

/** The latest time at which the rental of a lease may have been created. */
const latestCreate = ({ startedAt }: Lease): number => startedAt + longestCreate;

/** Whether the time at which a rental was created fits a lease; undefined if that time is not known. */
const createdWithin = (lease: Lease, { createdAt }: ActiveRental, slack: number): boolean | undefined =>
  createdAt === undefined
    ? undefined
    : createdAt >= lease.startedAt - slack && createdAt <= latestCreate(lease);
