import { join } from "node:path";
import type { Context } from "../../../command-kit/context.ts";
import { isRecord } from "../../../command-kit/responses.ts";
import { duration } from "../../../core/durations.ts";
import { BudgetExceeded, reasonOf, UsageError, WaitedTooLong } from "../../../core/errors.ts";
import { LockLost, lockedUntil } from "../../../core/lock.ts";
import { dollarText, type Money, moneyOfCents } from "../../../core/money.ts";
import { InvalidResponse, NetworkError, ServiceError } from "../../../core/service-errors.ts";
import { type Estimate, estimateCost, hourlyCost, isOnDemand, onDemandCost, type Wanted } from "../cost.ts";
import { listActive } from "../listing.ts";

type BurnContext = Pick<
  Context,
  "call" | "describe" | "files" | "progress" | "request" | "say" | "settings" | "sleep"
>;

/** Creates a rental. Calls `beforeSending` right before the request is sent; nothing may be sent if it throws. */
type Create<Value> = (beforeSending: () => Promise<void>) => Promise<Value>;

/**
 * Creates a rental unless the active rentals and the new one would cost more than the limit. From the check to the
 * response, it holds a lock, so that rentals which other processes of this user create with a limit are counted, too.
 * Throws `BudgetExceeded` when the limit would be exceeded, and when the cost of the active rentals is unknown. When
 * only the cost of the new one is unknown, it counts the others and warns.
 */
export async function withinBurn<Value>(
  limit: Money | undefined,
  wanted: Wanted,
  context: BurnContext,
  create: Create<Value>,
): Promise<Value> {
  if (limit === undefined || context.settings.dryRun) return create(async () => {});
  for (;;) {
    try {
      return await holdingLock(context, async (assertHeld) => {
        await assertWithinBurn(limit, wanted, context);
        return create(assertHeld);
      });
    } catch (error) {
      if (!(error instanceof LockLost)) throw error;
    }
  }
}

async function assertWithinBurn(limit: Money, wanted: Wanted, context: BurnContext): Promise<void> {
  const active = await activeCost(context);
  const added = await addedCost(wanted, context);
  const total = active + (added?.cost ?? 0n);
  const max = `the limit is ${dollarText(limit)}`;
  if (added && total > limit) {
    const sum = `the active rentals cost ${dollarText(active)} an hour and this one about ${dollarText(added.cost)}, ${added.basis}`;
    throw new BudgetExceeded(`${sum}; together ${dollarText(total)}, and ${max}`);
  }
  if (added) return;
  // Whatever the new rental costs, it is more than nothing.
  if (active >= limit) {
    throw new BudgetExceeded(`the active rentals already cost ${dollarText(active)} an hour; ${max}`);
  }
  context.say(
    `Warning: the price of the new rental is not known in advance, so the burn limit counts only the active rentals, which cost ${dollarText(active)} an hour.`,
  );
}

/**
 * The hourly cost of the new rental. A reserved term whose price is unknown counts with the on-demand price, which it
 * has after the term and is not expected to exceed before.
 */
async function addedCost(wanted: Wanted, context: BurnContext): Promise<Estimate | undefined> {
  const estimate = await estimateCost(wanted, context);
  if (estimate || isOnDemand(wanted)) return estimate;
  const cost = await onDemandCost(wanted, context);
  return cost === undefined
    ? undefined
    : { cost, basis: "the on-demand price in the service's rental options" };
}

/**
 * The hourly cost of all active rentals, from the summary or else added up from the listing. Throws `BudgetExceeded`
 * when it is unknown.
 */
async function activeCost(context: Pick<Context, "call" | "progress">): Promise<Money> {
  return context.progress("Adding up the active rentals", async () => {
    const fromSummary = hourlyTotal(await readable(context.call("getActiveRentalSummary", {})));
    if (fromSummary !== undefined) return fromSummary;
    const listed = await readable(listActive(context));
    if (listed instanceof Error) throw unknownBurn(`: ${reasonOf(listed)}`);
    return listed.reduce((sum, { record }) => {
      const cost = hourlyCost(record);
      if (cost === undefined) throw unknownBurn("");
      return sum + cost;
    }, 0n);
  });
}

/** The response, or the error if the service failed to give one. Throws what the user has to fix first, such as a key. */
const readable = async <Value>(response: Promise<Value>): Promise<Value | Error> =>
  response.catch((error: unknown) => {
    const isFailure =
      (error instanceof ServiceError && error.status !== 401) ||
      error instanceof NetworkError ||
      error instanceof InvalidResponse;
    if (!isFailure) throw error;
    return error;
  });

const unknownBurn = (reason: string): BudgetExceeded =>
  new BudgetExceeded(
    `the hourly cost of the active rentals is unknown, so the burn limit cannot be checked${reason}`,
  );

/**
 * The hourly total of a summary. The service does not document the name of its field, so this takes the largest cost:
 * of the fields with "hour" in their names if there are any, else of all.
 */
function hourlyTotal(summary: unknown): Money | undefined {
  if (!isRecord(summary) || summary instanceof Error) return undefined;
  const costs = Object.entries(summary).filter(
    (entry): entry is [string, number] => Number.isFinite(entry[1]) && /cents|cost/i.test(entry[0]),
  );
  const hourly = costs.filter(([name]) => /hour/i.test(name));
  const amounts = (hourly.length > 0 ? hourly : costs).map(([, amount]) => amount);
  return amounts.length > 0 ? moneyOfCents(Math.max(...amounts)) : undefined;
}

/** The name of the lock, in the state folder. */
const lockFile = "rentals-create";

/** A create takes seconds. A process that is killed or suspended meanwhile loses the lock after this time. */
const staleMs = 10_000;

/** Milliseconds to wait for other processes, each of which may have a create that times out. */
const timeoutMs = 300_000;

/** Does some work while this process is the only one of the user that holds the lock for creates with a limit. */
async function holdingLock<Value>(
  { files, say, sleep }: Pick<Context, "files" | "say" | "sleep">,
  work: (assertHeld: () => Promise<void>) => Promise<Value>,
): Promise<Value> {
  let said = false;
  const wait = (milliseconds: number) => {
    if (!said) say("Waiting for another gpuctl process that is creating a rental with a burn limit.");
    said = true;
    return sleep(milliseconds);
  };
  const times = { stale: staleMs, timeout: timeoutMs };
  try {
    return await lockedUntil(join(files.state, lockFile), work, { ...times, busy: isBusy, sleep: wait });
  } catch (error) {
    if (!isAbout(error, files.state)) throw error;
    throw new UsageError(`the burn limit cannot be checked: ${reasonOf(error)}`, {
      hint: "Nothing was sent. GPUCTL_STATE_DIR names another folder for the state.",
    });
  }
}

/** Whether a call on a file in a folder failed. */
const isAbout = (error: unknown, folder: string): boolean =>
  error instanceof Error && "path" in error && String(error.path).startsWith(folder);

const isBusy = (lockPath: string): WaitedTooLong =>
  new WaitedTooLong(
    `waited ${duration(timeoutMs)} for another gpuctl process that is creating a rental with a burn limit`,
    `Nothing was sent. If no other gpuctl is running, delete ${lockPath}.`,
  );
