import type { Context } from "../../../command-kit/context.ts";
import { isRecord } from "../../../command-kit/responses.ts";
import { termTypes } from "../../../contract/enums.ts";
import { BudgetExceeded, reasonOf, UnexpectedResponse } from "../../../core/errors.ts";
import { isNestedBeyond } from "../../../core/json.ts";
import { InvalidResponse, NetworkError, ServiceError } from "../../../core/service-errors.ts";
import { dollarText, type Money, moneyOfCents } from "../../../core/values/money.ts";
import { type Estimate, estimateCost, hourlyCost, isOnDemand, onDemandCost, type Wanted } from "../cost.ts";
import { listActive } from "../listing.ts";

type BurnContext = Pick<Context, "call" | "describe" | "progress" | "request" | "say">;

/** The hourly costs at the time when a burn limit was checked. */
interface Costs {
  readonly active: Money;
  /** The hourly cost of one new rental; undefined if it is not known. */
  readonly each: Money | undefined;
}

/**
 * Throws `BudgetExceeded` if the active rentals and `count` new ones would cost more than the limit, or if the cost of
 * the active rentals is unknown. If only the cost of the new ones is unknown, throws if the active rentals alone reach
 * the limit, and otherwise warns.
 */
export async function assertWithinBurn(
  limit: Money,
  { wanted, count }: { readonly wanted: Wanted; readonly count: number },
  context: BurnContext,
): Promise<Costs> {
  const active = await activeCost(context);
  const each = await addedCost(wanted, context);
  const added = each && { ...each, cost: each.cost * BigInt(count) };
  const total = active + (added?.cost ?? 0n);
  const max = `the limit is ${dollarText(limit)}`;
  if (added && total > limit) {
    const fresh = count === 1 ? "the new one" : `the ${count} new ones`;
    const sum = `the active rentals cost ${dollarText(active)} an hour, and ${fresh} would cost about ${dollarText(added.cost)} more, ${added.basis}`;
    throw new BudgetExceeded(`${sum}; together ${dollarText(total)}, and ${max}`);
  }
  if (each) return { active, each: each.cost };
  // Even without a known price, the new rental is expected to cost more than 0.
  if (active >= limit) {
    throw new BudgetExceeded(`the active rentals already cost ${dollarText(active)} an hour; ${max}`);
  }
  context.say(
    `Warning: the price of the new rental is not known in advance, so the burn limit counts only the active rentals, which cost ${dollarText(active)} an hour.`,
  );
  return { active, each: undefined };
}

/**
 * The hourly cost while several rentals are created one after the other. The price of the rentals is certain only once
 * the service has created one of them.
 */
export class GrowingBurn {
  readonly #limit: Money;
  /** The highest known hourly cost of one new rental. */
  #each: Money | undefined;
  #total: Money;
  #hasNew = false;
  #isComplete = true;

  constructor(limit: Money, { active, each }: Costs) {
    this.#limit = limit;
    this.#each = each;
    this.#total = active;
  }

  /** Counts a created rental. Pass undefined if it is not known whether a request created one. */
  add(rental: unknown): void {
    const cost = hourlyCost(rental);
    if (cost && cost > (this.#each ?? 0n)) this.#each = cost;
    this.#hasNew = true;
    this.#total += this.#each ?? 0n;
    this.#isComplete &&= this.#each !== undefined;
  }

  /**
   * Throws `BudgetExceeded` if another rental would exceed the limit. Does not check the first one, because
   * `assertWithinBurn` has done so.
   */
  async assertOneMore(context: Pick<Context, "call" | "progress">): Promise<void> {
    if (!this.#hasNew) return;
    const listed = this.#isComplete ? 0n : await activeCost(context);
    const active = listed > this.#total ? listed : this.#total;
    const each = this.#each;
    if (each === undefined ? active < this.#limit : active + each <= this.#limit) return;
    const next = each === undefined ? "" : `, and another one would cost ${dollarText(each)} more`;
    throw new BudgetExceeded(
      `including the new ones, the active rentals cost ${dollarText(active)} an hour${next}; the limit is ${dollarText(this.#limit)}`,
    );
  }
}

/**
 * The hourly cost of the new rental. If the price of a reserved term is unknown, the on-demand price is used: the
 * rental costs that much after the term, and is not expected to cost more during the term.
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
 * The hourly cost of all active rentals: the total in the summary, or else the summed cost of the listed rentals.
 * Throws `BudgetExceeded` if the cost is unknown.
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

/**
 * Returns the response, or the error if there is no usable response. Throws any other error, such as a rejected key,
 * because the user has to fix it first.
 */
const readable = async <Value>(response: Promise<Value>): Promise<Value | Error> =>
  response.catch((error: unknown) => {
    const isFailure =
      (error instanceof ServiceError && error.status !== 401) ||
      error instanceof NetworkError ||
      error instanceof InvalidResponse ||
      error instanceof UnexpectedResponse;
    if (!isFailure) throw error;
    return error;
  });

const unknownBurn = (reason: string): BudgetExceeded =>
  new BudgetExceeded(
    `the hourly cost of the active rentals is unknown, so the burn limit cannot be checked${reason}`,
  );

/**
 * The hourly total of a summary. The service does not document the fields of a summary: there may be a total, a cost
 * per term type, or both. If the paths of some costs contain "hour", uses only those costs. Returns the largest total,
 * or the sum of the costs per term type if that is more. Undefined if there is no cost, or if a cost is not a number of
 * cents.
 */
function hourlyTotal(summary: unknown): Money | undefined {
  if (summary instanceof Error || isNestedBeyond(summary, maxDepth)) return undefined;
  const costs = fieldsOf(summary).filter(([path]) => /cents|cost/i.test(path));
  const hourly = costs.filter(([path]) => /hour/i.test(path));
  const largest = new Map<string, number>();
  for (const [path, amount] of hourly.length > 0 ? hourly : costs) {
    if (typeof amount !== "number" || !(amount >= 0 && Number.isFinite(amount))) return undefined;
    const term = termTypes.find((one) => lettersOf(path).includes(lettersOf(one))) ?? "";
    largest.set(term, Math.max(amount, largest.get(term) ?? 0));
  }
  if (largest.size === 0) return undefined;
  const total = moneyOfCents(largest.get("") ?? 0);
  const sum = termTypes.reduce((before, term) => before + moneyOfCents(largest.get(term) ?? 0), 0n);
  return sum > total ? sum : total;
}

/** Deeper nesting could exhaust the stack, because `fieldsOf` is recursive. */
const maxDepth = 100;

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

/** The paths and values of all fields of an object and of its nested objects. Does not look into lists. */
const fieldsOf = (value: unknown, path = ""): readonly (readonly [string, unknown])[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([name, inner]) =>
        isRecord(inner) ? fieldsOf(inner, `${path}${name}.`) : [[`${path}${name}`, inner] as const],
      )
    : [];
