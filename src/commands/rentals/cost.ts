import { type RentalType, rentalTypeOf } from "../../client/rentals/type.ts";
import type { Context } from "../../command-kit/context.ts";
import { hourlyCostPaths, isRecord, jsonOf, recordsOf } from "../../command-kit/responses.ts";
import { termTypes } from "../../contract/enums.ts";
import { asText, firstAt, scalarText } from "../../core/json.ts";
import { idOf } from "../../core/responses/rental.ts";
import { descriptionTimeout } from "../../core/values/defaults.ts";
import { dollarText, inProportion, type Money, moneyOfCents } from "../../core/values/money.ts";
import { parseTime } from "../../core/values/times.ts";
import { describedOperations } from "../../openapi/described.ts";
import { kinds } from "./listing.ts";
import { termPaths } from "./views.ts";

/** The hourly cost of a rental. Undefined if its record has no cost, or a cost that is not a number of at least 0. */
export function hourlyCost(rental: unknown): Money | undefined {
  const cost = firstAt(rental, hourlyCostPaths);
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? moneyOfCents(cost) : undefined;
}

/** A rental to be created. */
export interface Wanted {
  readonly type: RentalType;
  readonly gpuType: string;
  readonly gpuCount: number;
  readonly region: string;
  readonly networkType: string;
  readonly termType: string;
}

/** An hourly cost, and where it comes from, as in "based on the service's rental options". */
export interface Estimate {
  readonly cost: Money;
  readonly basis: string;
}

/**
 * The timeout and the number of retries for each request of an estimate, apart from the request for the service's
 * description; the defaults if omitted.
 */
type Limits = NonNullable<Parameters<Context["request"]>[1]>;

/** What an estimate needs. */
type Lookup = Pick<Context, "call" | "describe" | "request" | "progress">;

/** The timeout of each request for an estimate that the user waits for, in milliseconds. */
const estimateTimeout = 5_000;

/** Estimates the hourly cost of `count` rentals, in words. Returns undefined if the cost is unknown. */
export async function estimateHourlyCost(
  wanted: Wanted,
  count: number,
  context: Lookup,
): Promise<string | undefined> {
  const limits = { retries: 0, timeout: { compute: estimateTimeout, inference: estimateTimeout } };
  const estimate = await estimateCost(wanted, context, limits);
  if (estimate === undefined) return undefined;
  const { cost, basis } = estimate;
  const each = count === 1 ? "" : ` (${count} x ${dollarText(cost)})`;
  return `about ${dollarText(cost * BigInt(count))} an hour${each}, ${basis}`;
}

/**
 * Estimates the hourly cost of a rental. If the rental is on demand and the service's rental options give a price for
 * it, uses this price. Otherwise, finds the user's newest active rental of the same type, GPU and term or, if there is
 * none, the newest rental with the same GPU and term in the history. Uses its cost in proportion to the number of GPUs.
 * If there is no such rental, returns undefined. The service may charge a different price.
 */
export async function estimateCost(
  wanted: Wanted,
  context: Lookup,
  limits: Limits = {},
): Promise<Estimate | undefined> {
  if (!(Number.isInteger(wanted.gpuCount) && wanted.gpuCount > 0)) return undefined;
  const newestLike = async (id: (typeof kinds)[RentalType]["list"] | "listRentalHistory") => {
    const records = await context.call(id, {}, limits).then(recordsOf, () => []);
    return records.flatMap((one) => pricedLike(wanted, one)).toSorted((a, b) => b.created - a.created)[0];
  };
  return context.progress("Estimating the hourly cost", async () => {
    // Rental options have on-demand prices only.
    const cost = isOnDemand(wanted) ? optionCost(await rentalOptions(context, limits), wanted) : undefined;
    if (cost !== undefined) return { cost, basis: "based on the service's rental options" };
    const known = (await newestLike(kinds[wanted.type].list)) ?? (await newestLike("listRentalHistory"));
    if (known === undefined) return undefined;
    const scaled = wholeCents(inProportion(known.cost, [wanted.gpuCount], [known.gpus]));
    return { cost: scaled, basis: `based on the cost of rental ${known.id}` };
  });
}

/** The hourly cost of an on-demand rental, from the service's rental options. */
export async function onDemandCost(wanted: Wanted, context: Lookup): Promise<Money | undefined> {
  return context.progress("Looking up the price", async () =>
    optionCost(await rentalOptions(context, {}), wanted),
  );
}

export const isOnDemand = ({ termType }: Pick<Wanted, "termType">): boolean =>
  termType.toLowerCase() === termTypes[0];

/** Rounds up to a whole cent. */
function wholeCents(amount: Money): Money {
  const cent = moneyOfCents(1);
  return ((amount + cent - 1n) / cent) * cent;
}

/** Gets the service's rental options if its description lists them; undefined otherwise. Never throws. */
async function rentalOptions(
  { describe, request }: Pick<Context, "describe" | "request">,
  limits: Limits,
): Promise<unknown> {
  try {
    const listed = describedOperations(await describe({ timeout: descriptionTimeout })).find(
      ({ method, path, parameters }) =>
        method === "GET" && /\/rental-?options$/i.test(path) && !parameters.some(({ required }) => required),
    );
    if (listed === undefined) return undefined;
    return jsonOf(await request({ method: "GET", path: listed.path, host: "compute" }, limits));
  } catch {
    return undefined;
  }
}

/**
 * The hourly cost according to the service's rental options. Takes the cheapest option with the wanted number of GPUs.
 * If there is none, takes the fewest equal machines that together have this number. Undefined if no option matches.
 */
export function optionCost(options: unknown, wanted: Wanted): Money | undefined {
  const prices = recordsOf(options).flatMap((option) => {
    if (!isRecord(option) || !fits(option, wanted)) return [];
    const { gpuCount } = option;
    const each = hourlyCost(option);
    if (typeof gpuCount !== "number" || each === undefined) return [];
    const machines = wanted.gpuCount / gpuCount;
    return Number.isSafeInteger(machines) && machines > 0
      ? [{ machines, cost: each * BigInt(machines) }]
      : [];
  });
  // Not `Math.min(...)`: a service may list more options than a function can take as arguments.
  const fewest = prices.reduce((least, { machines }) => Math.min(least, machines), Infinity);
  const costs = prices.filter(({ machines }) => machines === fewest).map(({ cost }) => cost);
  return costs.reduce<Money | undefined>(
    (least, cost) => (least !== undefined && least < cost ? least : cost),
    undefined,
  );
}

/**
 * Whether an option has the wanted GPU, type, region and network. An option that states no type, region or network fits
 * any.
 */
const fits = (option: Readonly<Record<string, unknown>>, wanted: Wanted): boolean =>
  (rentalTypeOf(option) ?? wanted.type) === wanted.type &&
  asText(option.gpuType).toLowerCase() === wanted.gpuType.toLowerCase() &&
  (option.region ?? wanted.region) === wanted.region &&
  (option.connectionType ?? wanted.networkType) === wanted.networkType;

/** A list with a rental's cost. Empty if the GPU or the term differs, or if the record lacks data for an estimate. */
function pricedLike({ gpuType, termType }: Wanted, record: unknown) {
  const text = (paths: readonly string[]) => asText(firstAt(record, paths)).toLowerCase();
  const gpus = Number(scalarText(firstAt(record, ["gpuCount"])));
  const cost = hourlyCost(record);
  const id = idOf(record);
  const same = text(["gpuType"]) === gpuType.toLowerCase() && text(termPaths) === termType.toLowerCase();
  if (!same || id === undefined || cost === undefined || cost <= 0n) return [];
  // The estimate divides by this number of GPUs.
  if (!Number.isSafeInteger(gpus) || gpus <= 0) return [];
  return [{ id, gpus, cost, created: parseTime(asText(firstAt(record, ["createdAt", "startedAt"]))) ?? 0 }];
}
