import type { Context } from "../../../command-kit/context.ts";
import { createAndCheck, problemWithoutId } from "../../../command-kit/outcomes.ts";
import { leaseFileArgs } from "../../../command-kit/rentals/lease-file.ts";
import { labelOf, labelPaths, noDescription } from "../../../command-kit/responses.ts";
import type { InputOf } from "../../../contract/index.ts";
import {
  BudgetExceeded,
  Interrupted,
  LeaseNotStored,
  NotOffered,
  reasonOf,
  UnexpectedResponse,
} from "../../../core/errors.ts";
import { valueAt } from "../../../core/json.ts";
import { idOf } from "../../../core/responses/rental.ts";
import { InterruptedWrite, UnknownOutcome } from "../../../core/service-errors.ts";
import { commandLine } from "../../../core/text.ts";
import { descriptionTimeout } from "../../../core/values/defaults.ts";
import { duration, maxLease, timeUnits } from "../../../core/values/durations.ts";
import { decimalText, dollarText, type Money, parseMoney } from "../../../core/values/money.ts";
import { isUnderWay, type Job, type Journal, maxTime } from "../../../jobs/journal.ts";
import {
  beginLease,
  bindLease,
  changeLease,
  type LeasePlace,
  releaseLease,
  serviceName,
} from "../../../jobs/leases.ts";
import { terminateOperations, terminateOperationsFor } from "../../../openapi/terminate.ts";
import { estimateCost, hourlyCost } from "../cost.ts";
import { wantedBy } from "../create/create.ts";
import { leaseEnd, rentalOf, warnIfClocksDiffer } from "../lease/place.ts";
import { kinds, listActiveOf } from "../listing.ts";

/** Jobs run on virtual machines. */
export const jobType = "virtual-machine";

export type Input = InputOf<"createVirtualMachineRental">;

export interface RentOptions {
  readonly input: Input;
  readonly maxBurn: Money | undefined;
  /** Milliseconds. */
  readonly timeLimit: number | undefined;
  readonly lease: number | undefined;
  readonly place: LeasePlace | undefined;
}

/**
 * Throws `NotOffered` if the service lists no operation that ends the rental, and `NoDescription` if it is not known
 * what the service lists.
 */
export async function assertCanEnd({ describe }: Pick<Context, "describe">): Promise<void> {
  const description = await describe({ timeout: descriptionTimeout }).catch((error: unknown) => {
    throw noDescription(error, "the rental could be ended", `Nothing was rented. ${keepHint}`);
  });
  const listed = () => terminateOperationsFor(jobType, terminateOperations(description)).length > 0;
  try {
    if (listed()) return;
  } catch (error) {
    if (!(error instanceof NotOffered)) throw error;
  }
  throw new NotOffered(
    "the service lists no operation to end a rental, so the rental would be billed after the command has ended",
    `Nothing was rented. ${keepHint}`,
  );
}

const keepHint = "With --keep, gpuctl rents anyway, and you have to end the rental yourself.";

/** Milliseconds that a run has after its time limit to copy results back, before a guard ends the rental. */
const spareTime = timeUnits[1].milliseconds;

export const nothingRented = (): Interrupted => new Interrupted("interrupted: nothing was rented");

/** Returns a copy of the context in which aborting `stopped` ends a sleep. */
const sleepingUntil = (stopped: AbortSignal, context: Context): Context => ({
  ...context,
  sleep: (milliseconds) =>
    context.sleep(milliseconds, stopped).catch((error: unknown) => {
      throw stopped.aborted ? nothingRented() : error;
    }),
});

/**
 * Creates the rental of a job and returns its record. Writes the journal and the lease to the disk before it sends the
 * request. If the outcome is unknown, recognizes the rental by its label, which no other rental has. Throws
 * `Interrupted` if `stopped` is aborted before the request is sent.
 */
export async function rent(
  journal: Journal,
  options: RentOptions,
  { stopped, ...given }: Context & { readonly stopped: AbortSignal },
): Promise<unknown> {
  const { input, maxBurn, place } = options;
  const context = sleepingUntil(stopped, given);
  const { id, rentalLabel } = journal.job();
  const create = async (assertHeld: () => Promise<void>): Promise<unknown> => {
    let isLeased = false;
    try {
      return await createAndCheck(
        "rental",
        async () => {
          const waiting = place && { ...place, sleep: context.sleep };
          if (waiting) await beginLease(waiting, leaseOf(journal, options, context));
          isLeased = true;
          // These checks come last, because saving the lease may have to wait for other processes.
          await assertHeld();
          if (stopped.aborted) throw nothingRented();
          journal.change({ rentedAt: context.now() });
          return context.call(
            "createVirtualMachineRental",
            { ...input, label: rentalLabel },
            { problemIn: problemWithoutId },
          );
        },
        (limits) => context.call(kinds[jobType].list, {}, limits),
        context,
      );
    } catch (error) {
      const isUnknown = error instanceof UnknownOutcome || error instanceof InterruptedWrite;
      if (!isUnknown) {
        if (isLeased && place) await releaseLease(withoutSleep(place), id).catch(() => {});
        throw error;
      }
      const found = await findRental(rentalLabel, context).catch(() => undefined);
      if (found === undefined) throw error;
      context.say(
        `The outcome of the request was unknown, but rental ${idOf(found)} has the job's label ${rentalLabel}.`,
      );
      return found;
    }
  };
  return maxBurn === undefined ? create(async () => {}) : withinBurn(maxBurn, input, context, create);
}

async function withinBurn<Value>(
  limit: Money,
  input: Input,
  context: Context,
  create: (assertHeld: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  const [{ assertWithinBurn }, { exclusively }] = await Promise.all([
    import("../create/burn.ts"),
    import("../create/lock.ts"),
  ]);
  return exclusively(context, async (assertHeld) => {
    await assertWithinBurn(limit, { wanted: wantedBy(jobType, input), count: 1 }, context);
    return create(assertHeld);
  });
}

/**
 * Stores the rental of a job, and the time at which a limit of its plan stops the job. Does not throw if an
 * estimate or the disk fails: the rental exists, so the job must continue and end it.
 */
export async function bindRental(
  journal: Journal,
  record: unknown,
  { input, place }: Partial<Pick<RentOptions, "input" | "place">>,
  context: Context,
): Promise<void> {
  const rentalId = idOf(record) ?? "";
  const { rentedAt = context.now(), id, plan, hourlyCost: expected } = journal.job();
  const { timeLimit } = plan;
  const maxCost = plan.maxCost === undefined ? undefined : parseMoney(plan.maxCost, "maxCost");
  const shown = hourlyCost(record);
  // A service may show a price of 0 until it knows the price of a new rental.
  const price =
    (shown === 0n ? undefined : shown) ??
    (expected === undefined ? undefined : parseMoney(expected, "hourlyCost")) ??
    (input && (await estimatedPrice(input, context))) ??
    shown;
  if (maxCost !== undefined && !price) {
    const problem = price === undefined ? "is not known" : "is 0 according to the service";
    context.say(
      `Warning: the price of rental ${rentalId} ${problem}, so --max-cost does not stop the command.`,
    );
  }
  const limits = [
    ...(timeLimit === undefined
      ? []
      : [{ after: timeLimit, limit: `the time limit of ${duration(timeLimit)}` }]),
    ...(maxCost === undefined || !price
      ? []
      : [{ after: affordable(maxCost, price), limit: `the cost limit of ${dollarText(maxCost)}` }]),
  ].sort((one, other) => one.after - other.after);
  const [first] = limits;
  try {
    journal.change({
      phase: "starting",
      rentalId,
      shownLabel: labelOf(record),
      rentedAt,
      hourlyCost: price === undefined ? undefined : decimalText(price),
      ...(first && { stopsAt: Math.min(rentedAt + first.after, maxTime), limit: first.limit }),
    });
    const { rentalId: _, ...facts } = rentalOf(record);
    if (place) await bindLease(withoutSleep(place), id, { rentalId, ...facts });
  } catch (error) {
    context.say(
      `Warning: ${reasonOf(error)}. If this run is killed, end rental ${rentalId} with \`${commandLine("rentals terminate", [rentalId])}\`.`,
    );
  }
}

/** The estimated price of a rental that exists. Undefined if it is not known or the estimate fails. */
async function estimatedPrice(input: Input, context: Context): Promise<Money | undefined> {
  try {
    return (await estimateCost(wantedBy(jobType, input), context))?.cost;
  } catch {
    // For example, the record of another rental contains impossible values.
    return undefined;
  }
}

/** How many milliseconds of the rental an amount pays for. */
const affordable = (amount: Money, hourly: Money): number =>
  Number((amount * BigInt(timeUnits[1].milliseconds)) / hourly);

/** The hourly price in advance. Throws `BudgetExceeded` if it is unknown, because then the cost cannot be limited. */
export async function knownPrice(input: Input, context: Context): Promise<Money> {
  const estimate = await estimateCost(wantedBy(jobType, input), context);
  if (estimate) return estimate.cost;
  throw new BudgetExceeded(
    "the price of the rental is not known in advance, so --max-cost cannot be checked; use --time-limit instead",
  );
}

/**
 * The lease of a job. Without `--keep`, the lease also ends when the job's process ends, so that a guard ends the
 * rental of a run that was killed.
 */
function leaseOf(journal: Journal, { lease, timeLimit }: RentOptions, context: Context) {
  const { id, rentalLabel, plan } = journal.job();
  const length = lease ?? (timeLimit === undefined ? maxLease : timeLimit + spareTime);
  // Reads the clock before `leaseEnd` does, so that the lease does not become shorter than `length`. A guard treats a
  // lease of `maxLease` as one without an end.
  const startedAt = context.serviceNow();
  if (length < maxLease) warnIfClocksDiffer(context);
  return {
    token: id,
    service: serviceName(context.settings),
    label: rentalLabel,
    endsAt: leaseEnd(length, context),
    startedAt,
    by: "rentals run",
    process: context.files.processes.self,
    endsWithProcess: !plan.keep || undefined,
  };
}

/**
 * Lets the lease of a detached job outlive this process, because the command of the job continues. Returns the error if
 * that is not possible. `length` is the length of a new lease that the error suggests, in milliseconds.
 */
export async function detachLease(
  place: LeasePlace,
  { id, rentalId = "", plan }: Job,
  { length, files }: { readonly length: number } & Pick<Context, "files">,
): Promise<LeaseNotStored | undefined> {
  // The lease of a kept rental does not end with a process.
  if (plan.keep) return undefined;
  try {
    await changeLease(withoutSleep(place), id, (lease) => ({ ...lease, endsWithProcess: undefined }));
    return undefined;
  } catch (error) {
    const words = [rentalId, duration(length).replace(" ", "")];
    return new LeaseNotStored(
      `job ${id} is running on rental ${rentalId}, but the lease of the rental ends with this gpuctl process: ${reasonOf(error)}`,
      `When this process has ended, \`gpuctl rentals guard\` ends the rental. To let the job run, set a new lease with \`${commandLine("rentals lease set", words, leaseFileArgs(place.path, files))}\`.`,
    );
  }
}

/**
 * Stores that this process now uses the rental of the lease. If the job is detached and its command is running, the
 * lease then no longer ends with the process.
 */
export const adoptLease = (place: LeasePlace, job: Job): Promise<void> =>
  changeLease(withoutSleep(place), job.id, (lease) => ({
    ...lease,
    process: place.processes.self,
    ...(job.plan.detached && isUnderWay(job) && { endsWithProcess: undefined }),
  }));

/** Returns the place without `sleep`, so that Ctrl-C does not end a wait for the lock of the leases. */
const withoutSleep = ({ sleep: _, ...place }: LeasePlace): LeasePlace => place;

/**
 * Finds the active virtual machine with a job's unique label. Throws if the listing fails or several rentals have the
 * label.
 */
export async function findRental(label: string, context: Pick<Context, "call">): Promise<unknown> {
  const found = (await listActiveOf(jobType, context)).filter(({ record }) => labelOf(record) === label);
  if (found.length > 1) {
    throw new UnexpectedResponse(
      `${found.length} rentals have the label ${label}: ${found.map(({ record }) => idOf(record)).join(", ")}`,
      "A job has only one rental, and gpuctl cannot tell which of them it is. Look at `gpuctl rentals list`, and end all but one of them with `gpuctl rentals terminate`.",
    );
  }
  return found[0]?.record;
}

/**
 * Whether a record with the ID of a job's rental can be that rental. A service that was reset may use the ID again for
 * another rental, which must not run the job's command or end with the job. Returns true for a record without a label
 * field: the service may return fewer fields when it looks up a rental than when it creates one.
 */
export const isRentalOf = (
  { shownLabel, rentalLabel }: Pick<Job, "shownLabel" | "rentalLabel">,
  record: unknown,
): boolean =>
  record === null ||
  shownLabel === undefined ||
  labelPaths.every((path) => valueAt(record, path) === undefined) ||
  [shownLabel, rentalLabel].includes(labelOf(record) ?? "");

/** Marks a job as ended, and throws `UnexpectedResponse`, if the ID of its rental now belongs to another rental. */
export async function assertHasRental(
  journal: Journal,
  { call, now, setFailureContext }: Pick<Context, "call" | "now" | "setFailureContext">,
): Promise<void> {
  const { id, rentalId, shownLabel } = journal.job();
  if (rentalId === undefined || shownLabel === undefined) return;
  if (isRentalOf(journal.job(), await call("getRental", { rentalId }))) return;
  const problem = `rental ${rentalId} does not have the job's label ${shownLabel}, so it was left alone`;
  journal.change({ phase: "ended", endedAt: now(), outcome: problem });
  // The message contains all that is known about the job.
  setFailureContext(undefined);
  throw new UnexpectedResponse(
    `${problem}; job ${id} is marked as ended`,
    "The service may have used the ID again for another rental. Check the rental with `gpuctl rentals list`.",
  );
}

/** The cost of a rental for a time in milliseconds. */
export const costOf = (milliseconds: number, hourly: Money): Money =>
  (hourly * BigInt(Math.max(0, Math.round(milliseconds)))) / BigInt(timeUnits[1].milliseconds);
