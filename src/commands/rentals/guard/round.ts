import { hasEnded, isEnding } from "../../../client/rentals/type.ts";
import type { Context, Ports } from "../../../command-kit/context.ts";
import { labelOf } from "../../../command-kit/responses.ts";
import {
  Interrupted,
  isDiskFull,
  LeaseNotStored,
  LeaseUnclear,
  LockLost,
  NotFound,
  NotNotified,
  NotReady,
  ProgramTimedOut,
  reasonOf,
  SaveFailed,
  StillBilled,
  Unavailable,
  UnexpectedResponse,
} from "../../../core/errors.ts";
import {
  assertIsRental,
  createdAtOf,
  creationTolerance,
  idOf,
  statesOf,
} from "../../../core/responses/rental.ts";
import {
  InterruptedWrite,
  InvalidResponse,
  NetworkError,
  ResponseTooLarge,
  ServiceError,
  UnknownOutcome,
} from "../../../core/service-errors.ts";
import { hostOf, pidOf } from "../../../core/tasks/lock.ts";
import { commandLine } from "../../../core/text.ts";
import { duration, timeUnits } from "../../../core/values/durations.ts";
import { parseTime } from "../../../core/values/times.ts";
import type { UnreadableJob } from "../../../jobs/journal.ts";
import { type ActiveRental, isOverByAll, leaseRound, type RoundOptions } from "../../../jobs/lease-round.ts";
import {
  changeLeases,
  endOf,
  isDecided,
  type Lease,
  type LeasePlace,
  type Notice,
  readLeases,
  serviceName,
  whileLocked,
  withBound,
} from "../../../jobs/leases.ts";
import { ownJobs } from "../jobs/find.ts";
import { clocks } from "../lease/place.ts";
import { bothTypes, listBoth } from "../listing.ts";
import { jobType } from "../run/rent.ts";
import { endedMessage, endRental } from "../terminate/end.ts";
import { planRecord } from "../terminate/plan.ts";
import { stateText } from "../waiting.ts";
import { type GuardEvent, lastingKey, notify } from "./events.ts";

export interface Guard extends Context, Pick<Ports, "programs" | "withServiceFlags"> {
  readonly place: LeasePlace;
  /** How long before the end of a lease to warn, in milliseconds. */
  readonly warn: number;
  /** The command line to run for each event. */
  readonly notify: string | undefined;
}

/** A command line that acts on a lease in the file of this guard. */
const leaseLine = (verb: string, args: readonly string[], { place }: Pick<Guard, "place">): string =>
  `\`${commandLine(`rentals lease ${verb}`, args, place.ownFolder ? [] : ["--lease-file", place.path])}\``;

/**
 * Milliseconds. A lease that is over according to only one of two clocks is not reported until that clock is this far
 * past the end of the lease.
 */
const tolerance = timeUnits[2].milliseconds;

/**
 * Checks the leases and the active rentals once, and ends the rentals whose leases are over. Runs the user's command
 * for each event, and returns the events. In a dry run, changes nothing and does not run the command. Throws if the
 * lease file cannot be read, if another process holds its lock for too long when a change must be saved, if the user
 * interrupts, and if `activeRentals` throws.
 */
export async function guardRound(guard: Guard): Promise<readonly GuardEvent[]> {
  const events: GuardEvent[] = [];
  const add = (event: Omit<GuardEvent, "time">) =>
    events.push({
      ...event,
      message: guard.withServiceFlags(event.message),
      time: new Date(guard.now()).toISOString(),
    });
  const { place, settings, interrupted } = guard;
  // Reads the leases first, so that nothing is sent if the lease file cannot be read or has another version.
  const leases = await readLeases(place);
  if (leases.unreadable.length > 0) {
    const isOne = leases.unreadable.length === 1;
    const message = `${isOne ? "a line" : `${leases.unreadable.length} lines`} of ${place.path} cannot be read, so ${isOne ? "its lease is" : "their leases are"} unknown; fix or delete ${isOne ? "that line" : "those lines"}`;
    add({ event: "unreadable", token: place.path, message, error: new Unavailable(message, "") });
  }
  for (const { folder, problem, hint } of unreadableJobs(guard)) {
    const message = `${problem}. ${hint.replace(/\.$/, "")}`;
    add({ event: "unreadable", token: folder, message, error: new Unavailable(problem, hint) });
  }
  const { rentals, jobRentals } = await activeRentals(guard, add);
  const round = leaseRound(leases, {
    service: serviceName(settings),
    rentals,
    jobRentals,
    times: clocks(guard),
    warn: guard.warn,
    processes: place.processes,
  });
  const over = [...round.over];
  for (const { lease, rental } of round.found) {
    const facts = leasedRental(rental);
    const bound = { ...lease, ...facts };
    if (!settings.dryRun) {
      await changeLeases(place, (all) => {
        const now = all.leases.find(({ token }) => token === lease.token);
        return now === undefined || now.rentalId ? undefined : withBound(all, lease.token, facts);
      }).catch(unlessNotSaved);
    }
    if (isOverByAll(bound, clocks(guard), place.processes)) over.push(bound);
  }
  for (const lease of over) {
    if (interrupted.aborted) throw new Interrupted();
    const event = await endOver(lease, guard);
    if (event) add({ ...factsOf(lease), ...event });
    const known = [
      ["Terminated", events.filter(({ event }) => event === "ended")],
      ["May still be billed", events.filter(({ error }) => error instanceof StillBilled)],
    ] as const;
    const texts = known
      .filter(([, some]) => some.length > 0)
      .map(([text, some]) => `${text}: ${some.map(({ rentalId }) => rentalId).join(", ")}.`);
    if (texts.length > 0) guard.setFailureContext(texts.join(" "));
  }
  // Removes settled leases only after the rentals have ended, so that a failure here cannot keep a rental from ending.
  if (round.settled.length > 0 && !settings.dryRun) {
    const tokens = round.settled.map(({ token }) => token);
    await changeLeases(place, ({ leases: now, ...rest }) => ({
      ...rest,
      leases: now.filter(({ token, rentalId }) => rentalId !== undefined || !tokens.includes(token)),
    })).catch(unlessNotSaved);
  }
  for (const lease of round.disputed) {
    if (Math.max(...clocks(guard)) - endOf(lease, place.processes) < tolerance) continue;
    const message =
      "this machine's clock and the service's clock disagree on whether the lease is over, so the rental was not ended; `gpuctl doctor` compares the clocks";
    add({ ...factsOf(lease), event: "disputed", message, error: new UnexpectedResponse(message, "") });
  }
  for (const lease of round.unchecked) {
    const { by, process = "", rentalId = "" } = lease;
    const message = `the lease ends with \`${by}\`, which is process ${pidOf(process)} on ${hostOf(process)} and cannot be checked from here. If that process no longer runs, terminate the rental; ${leaseLine("set", [rentalId, "2h"], guard)} sets when the rental ends`;
    add({ ...factsOf(lease), event: "unchecked", message });
  }
  for (const { lease, candidates } of round.unclear) {
    const message = `the outcome of \`${lease.by}\` is unknown. The command may have created rental ${candidates.map(({ id }) => id).join(" or ")}. Set a lease for that rental with ${leaseLine("set", ["RENTAL", "2h"], guard)}, or terminate the rental; then run ${leaseLine("clear", [lease.token], guard)}`;
    add({ ...factsOf(lease), event: "unclear", message, error: new LeaseUnclear(message, "") });
  }
  for (const lease of round.vanished.filter((one) => isOverByAll(one, clocks(guard), place.processes))) {
    const message = `the outcome of \`${lease.by}\` is unknown. In this account, none of the active rentals without a lease was created by the command. This lease stays, because the command may have created a rental in another account; ${leaseLine("clear", [lease.token], guard)} removes the lease`;
    add({ ...factsOf(lease), event: "unclear", message, error: new LeaseUnclear(message, "") });
  }
  const [serviceTime = 0] = clocks(guard);
  for (const lease of round.endingSoon) {
    const message = `ends in ${duration(endOf(lease, place.processes) - serviceTime)}; ${leaseLine("extend", [lease.rentalId ?? "", "1h"], guard)} lets it run longer`;
    add({ ...factsOf(lease), event: "ends-soon", message });
  }
  for (const { id, label } of round.unleased) {
    const message = `is active and has no lease; ${leaseLine("set", [id, "2h"], guard)} sets one`;
    add({ event: "no-lease", rentalId: id, label, message });
  }
  if (!settings.dryRun) await notifyAll(events, rentals, guard);
  return events;
}

/** The jobs on this machine that cannot be read. Without a home folder there are no jobs, but there may be leases. */
function unreadableJobs(guard: Guard): readonly UnreadableJob[] {
  try {
    return ownJobs(guard).unreadable;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return [];
  }
}

/**
 * Ignores the error if the lease file cannot be saved, for example on a full disk: the guard still checks and reports
 * the rentals. Throws any other error.
 */
function unlessNotSaved(error: unknown): void {
  if (!(error instanceof SaveFailed)) throw error;
}

type Add = (event: Omit<GuardEvent, "time">) => void;

/**
 * Returns the active rentals, and those of the type that jobs use. If the service does not list them all, adds an event,
 * and what is not known is undefined. Throws if the service cannot be reached or does not accept the key, or if the user
 * interrupts.
 */
async function activeRentals(guard: Guard, add: Add): Promise<Pick<RoundOptions, "rentals" | "jobRentals">> {
  const listings = await listBoth(guard);
  const errors = listings.flatMap((one): unknown[] => (one.status === "rejected" ? [one.reason] : []));
  const listed = listings.map((one) => (one.status === "fulfilled" ? one.value.flatMap(shown) : undefined));
  const jobRentals = listed[bothTypes.indexOf(jobType)];
  if (errors.length === 0) return { rentals: listed.flatMap((some = []) => some), jobRentals };
  const isUnreachable = errors.length === listings.length && errors.every(isNetworkError);
  const fatal = errors.find((error) => isUnreachable || guard.interrupted.aborted || !isOfListing(error));
  if (fatal !== undefined) throw fatal;
  const reasons = [...new Set(errors.map(reasonOf))];
  const message = `the active rentals cannot be listed: ${reasons.join("; ")}`;
  add({ event: "unlisted", message, error: errors[0] });
  return { rentals: undefined, jobRentals };
}

/** What leases need to know about a record of a listing. Empty if the record has no ID. */
function shown({ record }: { readonly record: unknown }): readonly ActiveRental[] {
  const id = idOf(record);
  return id === undefined ? [] : [{ id, label: labelOf(record), createdAt: createdAtOf(record) }];
}

const isNetworkError = (error: unknown): boolean => error instanceof NetworkError;

/** Whether an error concerns only a listing, so that the guard may still be able to look up and end rentals. */
const isOfListing = (error: unknown): boolean =>
  error instanceof UnexpectedResponse ||
  error instanceof InvalidResponse ||
  error instanceof ResponseTooLarge ||
  error instanceof NetworkError ||
  (error instanceof ServiceError && error.status !== 401);

const leasedRental = ({ id, createdAt }: ActiveRental) => ({
  rentalId: id,
  rentalCreatedAt: createdAt === undefined ? undefined : new Date(createdAt).toISOString(),
});

const factsOf = ({ rentalId, label, token, endsAt }: Lease) => ({
  rentalId,
  label,
  token,
  endsAt: new Date(endsAt).toISOString(),
});

type Outcome = Pick<GuardEvent, "event" | "message" | "error">;

/**
 * Ends the rental of a lease that was over when the guard checked, if the lease is still over. Holds the lock of the
 * lease file, so that no other process changes a lease meanwhile. Until the guard has the lock, another process can
 * still extend the lease. If the disk is full, ends the rental without the lock: no process can extend the lease on a
 * full disk, and ending a rental twice does no harm. If this user may not write the lease file, only reports the
 * rental, because another user may be extending the lease. Returns undefined if there is nothing to report.
 */
async function endOver(found: Lease, guard: Guard): Promise<Outcome | undefined> {
  const { place, settings } = guard;
  /** Set once the rental has ended. If the lock is lost after that, `end` runs again and only removes the lease. */
  let outcome: Outcome | undefined;
  let hasLock = false;
  const end: Parameters<typeof whileLocked<Outcome | undefined>>[1] = async (leases, save, assertHeld) => {
    hasLock = true;
    const saved = leases.leases.find((one) => one.token === found.token);
    // The ID of the rental that was found for a pending lease is not saved in a dry run or on a full disk.
    const { rentalId: foundId, rentalCreatedAt } = found;
    const lease = saved && !saved.rentalId ? { ...saved, rentalId: foundId, rentalCreatedAt } : saved;
    const remove = () => save({ ...leases, leases: leases.leases.filter((one) => one !== saved) });
    if (outcome !== undefined) {
      await remove();
      return outcome;
    }
    const isPending = saved !== undefined && !saved.rentalId;
    if (isPending && foundId && isDecided(leases, saved, { rentalId: foundId, rentalCreatedAt }))
      return undefined;
    if (!lease?.rentalId || !isOverByAll(lease, clocks(guard), place.processes)) return undefined;
    const { rentalId } = lease;
    const record: unknown = await guard.call("getRental", { rentalId });
    assertIsLeased(lease, record, guard);
    if (hasEnded(record)) {
      const ended: Outcome = { event: "had-ended", message: "had already ended" };
      if (settings.dryRun) return ended;
      outcome = ended;
      await remove();
      return outcome;
    }
    if (statesOf(record).some(isEnding)) return { event: "ending", message: `is ${stateText(record)}` };
    if (settings.dryRun) return { event: "would-end", message: whyOver(lease, guard) };
    const plan = await planRecord(rentalId, record, guard);
    const ended = await endRental(plan, guard, assertHeld).catch((error) => orEnded(error, rentalId, guard));
    const message = endedMessage(ended);
    const after = await afterEnd(rentalId, guard);
    if (after !== "ended") return after;
    outcome = { event: "ended", message };
    await remove();
    return outcome;
  };
  const withoutLock = async (error: unknown) => {
    if (hasLock || !isDiskFull(error)) throw error;
    return end(
      await readLeases(place),
      () => Promise.reject(error),
      async () => {},
    );
  };
  try {
    return await whileLocked(place, end).catch(withoutLock);
  } catch (error) {
    if (guard.interrupted.aborted || error instanceof InterruptedWrite || error instanceof LockLost)
      throw error;
    if (outcome !== undefined) return notRemoved(outcome, found, error);
    if (!hasLock && error instanceof SaveFailed) return notLocked(found, error, guard);
    return { event: "failed", message: failureText(error), error };
  }
}

/**
 * Handles the error of a termination. Ignores the error if the outcome is unknown and a lookup shows that the rental
 * has ended or is ending. Otherwise, throws the error.
 */
async function orEnded(error: unknown, rentalId: string, { call }: Guard): Promise<{ response: undefined }> {
  if (!(error instanceof UnknownOutcome)) throw error;
  const record: unknown = await call("getRental", { rentalId }, { retries: 0 }).catch(() => undefined);
  if (!hasEnded(record) && !statesOf(record).some(isEnding)) throw error;
  return { response: undefined };
}

/** The outcome if a rental should end, but the lease file cannot be locked. */
function notLocked(found: Lease, error: SaveFailed, guard: Guard): Outcome {
  const message = `${whyOver(found, guard)}, but the rental was not ended and may still be billed: ${reasonOf(error)}`;
  const end = commandLine("rentals terminate", [found.rentalId ?? ""]);
  const hint = `Run the guard as a user who may change the lease file, or run \`${end}\`.`;
  return { event: "failed", message, error: new Unavailable(message, hint) };
}

/** The outcome if a rental has ended, but its lease cannot be removed. */
function notRemoved({ event, message }: Outcome, { rentalId }: Lease, error: unknown): Outcome {
  const problem = `its lease could not be removed: ${reasonOf(error)}`;
  return {
    event,
    message: `${message.replace(/\.$/, "")}, but ${problem}`,
    error: new LeaseNotStored(
      `rental ${rentalId} has ended, but ${problem}`,
      "The next round tries again to remove the lease.",
    ),
  };
}

/** Why a lease is over: its end has passed, or its process no longer runs. */
const whyOver = ({ endsAt, by }: Lease, context: Guard): string =>
  clocks(context).every((now) => now >= endsAt)
    ? "the lease is over"
    : `\`${by}\` no longer runs, and the lease ends with it`;

function failureText(error: unknown): string {
  const isUnknown = error instanceof UnknownOutcome;
  const reason = `${isUnknown ? "the outcome of terminating it is unknown: " : ""}${reasonOf(error)}`;
  const sentences = [reason, ...(isUnknown ? [error.finding ?? ""] : []), "The rental may still be billed"];
  return sentences
    .map((one) => one.replace(/\.$/, ""))
    .filter(Boolean)
    .join(". ");
}

/**
 * Throws if a record is not that of the lease's rental. A guard with the key of another account does not see the
 * rental, and a service that was reset may use the rental's ID again.
 */
function assertIsLeased(lease: Lease, record: unknown, guard: Guard): void {
  const { rentalId = "", rentalCreatedAt = "", label, token } = lease;
  if (record === null) {
    throw new NotFound(
      `the service finds no rental ${rentalId} in this account; ${leaseLine("clear", [token], guard)} removes the lease`,
    );
  }
  assertIsRental(rentalId, record);
  const [leased, now] = [parseTime(rentalCreatedAt), createdAtOf(record)];
  const areTimesKnown = leased !== undefined && now !== undefined;
  if (areTimesKnown && leased === now) return;
  const isOther = (difference: string) =>
    new UnexpectedResponse(
      `rental ${rentalId} ${difference} the rental of the lease, so it was not ended; ${leaseLine("clear", [token], guard)} removes the lease`,
      "",
    );
  if (areTimesKnown && Math.abs(leased - now) > creationTolerance) {
    throw isOther("was not created at the same time as");
  }
  const current = labelOf(record);
  // The times do not tell two rentals apart if the service was reset and both were created within a minute, one before
  // the reset and one after it.
  if (label !== undefined && current !== undefined && label !== current) {
    throw isOther("does not have the same label as");
  }
}

/** After the termination of a rental, looks up whether the rental has ended. */
async function afterEnd(id: string, { call }: Guard): Promise<"ended" | Outcome> {
  let record: unknown;
  try {
    record = await call("getRental", { rentalId: id });
  } catch (error) {
    const message = `the service accepted the termination, but the lookup failed: ${reasonOf(error).replace(/\.$/, "")}. The rental may still be billed; the next round checks again`;
    return { event: "failed", message, error: new StillBilled(message, "") };
  }
  if (record === null || hasEnded(record)) return "ended";
  if (statesOf(record).some(isEnding)) return { event: "ending", message: `is ${stateText(record)}` };
  const message = `the service accepted the termination, but the rental is ${stateText(record)} and billed; the next round tries again`;
  return { event: "failed", message, error: new NotReady(message, "") };
}

/**
 * Runs the user's command for each event. For a lasting event, a command that succeeded does not run again, even if
 * several guards share the lease file. A command that failed runs again in the next round. If the lease file cannot be
 * written, the command runs in every round. Adds an event if the command fails. After a timeout, runs no further command
 * in this round, so that a command that hangs does not delay the next round for long.
 */
async function notifyAll(
  events: GuardEvent[],
  rentals: readonly ActiveRental[] | undefined,
  guard: Guard,
): Promise<void> {
  if (guard.notify === undefined) return;
  const isFresh = await forgetOver(events, rentals, guard).catch((error: unknown) => {
    unlessNotSaved(error);
    return () => true;
  });
  const due = events.filter(isFresh);
  for (const [at, event] of due.entries()) {
    // Claims each event right before its command runs: if the guard is killed during a command, the remaining events
    // have not been claimed.
    const isMine = await claim(event, guard).catch((error: unknown) => {
      unlessNotSaved(error);
      return true;
    });
    if (!isMine) continue;
    const failure = await notify(guard.notify, event, guard);
    if (failure === undefined) continue;
    const hasTimedOut = failure.cause instanceof ProgramTimedOut;
    const left = due.length - at - 1;
    const error = hasTimedOut && left > 0 ? notTried(failure, left) : failure;
    events.push({ event: "failed", message: error.message, time: event.time, error });
    await unclaim(event, guard).catch(unlessNotSaved);
    if (hasTimedOut) return;
  }
}

const notTried = ({ message }: NotNotified, count: number): NotNotified =>
  new NotNotified(
    `${message}; in this round, it was not run for ${count} more event${count === 1 ? "" : "s"}`,
  );

/**
 * Milliseconds. A guard keeps the notice of another guard for this long. A guard that still sees the event renews a
 * notice that is older than half of this time.
 */
const noticeLife = timeUnits[0].milliseconds;

/**
 * Names a guard in its notices. Guards differ in what they see: a guard with a longer `--warn` reports the end of a
 * lease earlier, and only a guard on the same machine can check a process.
 */
const guardName = ({ place: { processes }, settings, warn }: Guard): string =>
  [processes.self.slice(0, processes.self.lastIndexOf(" ")), settings.profile, warn].join(" ");

/** Forgets lasting events that are over. Returns a function that says whether no guard has reported an event yet. */
async function forgetOver(
  events: readonly GuardEvent[],
  rentals: readonly ActiveRental[] | undefined,
  guard: Guard,
): Promise<(event: GuardEvent) => boolean> {
  const service = serviceName(guard.settings);
  const current = new Set(events.map(lastingKey));
  const by = guardName(guard);
  const age = ({ at = 0 }: Notice) => guard.now() - at;
  let known: ReadonlySet<string> = new Set();
  await changeLeases(guard.place, ({ notices, ...rest }) => {
    let isChanged = false;
    const kept = notices.flatMap((one) => {
      // Without the list of rentals, an event may still be true although it is not reported now.
      if (rentals === undefined || one.service !== service) return [one];
      const isSeen = current.has(one.event);
      const isForeign = one.by !== undefined && one.by !== by;
      if (isSeen ? age(one) < noticeLife / 2 : isForeign && age(one) < noticeLife) return [one];
      isChanged = true;
      return isSeen ? [{ ...one, by, at: guard.now() }] : [];
    });
    known = new Set(kept.filter((one) => one.service === service).map((one) => one.event));
    return isChanged ? { ...rest, notices: kept } : undefined;
  });
  return (event) => !known.has(lastingKey(event) ?? "");
}

/** Saves a lasting event as reported. Returns false if another guard has just done so. */
async function claim(event: GuardEvent, guard: Guard): Promise<boolean> {
  const notice = {
    service: serviceName(guard.settings),
    event: lastingKey(event) ?? "",
    by: guardName(guard),
    at: guard.now(),
  };
  if (notice.event === "") return true;
  let isMine = true;
  await changeLeases(guard.place, ({ notices, ...rest }) => {
    isMine = !notices.some((one) => one.service === notice.service && one.event === notice.event);
    return isMine ? { ...rest, notices: [...notices, notice] } : undefined;
  });
  return isMine;
}

/** Lets a later round report an event again. */
async function unclaim(event: GuardEvent, { place, settings }: Guard): Promise<void> {
  const service = serviceName(settings);
  const key = lastingKey(event);
  if (key === undefined) return;
  await changeLeases(place, ({ notices, ...rest }) => ({
    ...rest,
    notices: notices.filter((one) => one.service !== service || one.event !== key),
  }));
}
