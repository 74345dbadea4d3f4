import type { Context } from "../../command-kit/context.ts";
import { idOf, isRecord, jsonOf, recordsOf } from "../../command-kit/responses.ts";
import { termTypes } from "../../contract/enums.ts";
import { descriptionTimeout } from "../../core/defaults.ts";
import { BudgetExceeded } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { dollars } from "../../core/money.ts";
import { describedOperations } from "../../openapi/described.ts";
import { parseTime } from "../../output/time.ts";
import { kinds, listActive, type RentalType, rentalTypeOf } from "./listing.ts";
import { hourlyCostPaths, termPaths } from "./views.ts";

/** The hourly cost of a rental in cents; undefined when its record does not contain it. */
function hourlyCost(rental: unknown): number | undefined {
  const cost = firstAt(rental, hourlyCostPaths);
  return typeof cost === "number" ? cost : undefined;
}

/**
 * Throws `BudgetExceeded` when the active rentals already cost `limit` cents an hour or more, or when their cost is
 * unknown.
 */
export async function assertWithinBurn(
  limit: number | undefined,
  context: Pick<Context, "call" | "settings">,
): Promise<void> {
  if (limit === undefined || context.settings.dryRun) return;
  const burn = await currentBurn(context);
  if (burn === undefined) {
    throw new BudgetExceeded(
      "the hourly cost of the active rentals is unknown, so the burn limit cannot be checked",
    );
  }
  if (burn >= limit) {
    throw new BudgetExceeded(
      `the active rentals already cost ${dollars(burn)} an hour; the limit is ${dollars(limit)}`,
    );
  }
}

/**
 * The hourly cost of all active rentals in cents, from the summary or else added up from the listing. Undefined when it
 * is unknown.
 */
async function currentBurn(context: Pick<Context, "call">): Promise<number | undefined> {
  const fromSummary = hourlyTotal(await context.call("getActiveRentalSummary", {}));
  if (fromSummary !== undefined) return fromSummary;
  const costs = (await listActive(context)).map(({ record }) => hourlyCost(record));
  return costs.includes(undefined) ? undefined : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

/**
 * The hourly total of a summary. The service does not document the name of its field, so this takes the largest cost:
 * of the fields with "hour" in their names if there are any, else of all.
 */
function hourlyTotal(summary: unknown): number | undefined {
  if (!isRecord(summary)) return undefined;
  const costs = Object.entries(summary).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && /cents|cost/i.test(entry[0]),
  );
  const hourly = costs.filter(([name]) => /hour/i.test(name));
  const amounts = (hourly.length > 0 ? hourly : costs).map(([, amount]) => amount);
  return amounts.length > 0 ? Math.max(...amounts) : undefined;
}

/** A rental to be created. */
interface Wanted {
  readonly type: RentalType;
  readonly gpuType: string;
  readonly gpuCount: number;
  readonly region: string;
  readonly networkType: string;
  readonly termType: string;
}

/** Milliseconds for each request of an estimate. It is short because the user is waiting for the question. */
const estimateTimeout = 5_000;

/**
 * Estimates the hourly cost of a rental, in words: from the service's rental options if it lists them, else from the
 * user's newest rental with the same GPU and term, active ones first. Undefined when neither is available. The service
 * may charge a different price.
 */
export async function estimateHourlyCost(
  wanted: Wanted,
  context: Pick<Context, "call" | "describe" | "request" | "progress">,
): Promise<string | undefined> {
  const limits = { retries: 0, timeout: { compute: estimateTimeout, inference: estimateTimeout } };
  const newestLike = async (id: (typeof kinds)[RentalType]["list"] | "listRentalHistory") => {
    const records = await context.call(id, {}, limits).then(recordsOf, () => []);
    return records.flatMap((one) => pricedLike(wanted, one)).toSorted((a, b) => b.created - a.created)[0];
  };
  return context.progress("Estimating the hourly cost", async () => {
    // Rental options have on-demand prices only.
    const onDemand = wanted.termType.toLowerCase() === termTypes[0];
    const cents = onDemand ? hourlyCentsOf(await rentalOptions(context, limits), wanted) : undefined;
    if (cents !== undefined) return `about ${dollars(cents)} an hour, based on the service's rental options`;
    const known = (await newestLike(kinds[wanted.type].list)) ?? (await newestLike("listRentalHistory"));
    if (known === undefined) return undefined;
    const scaled = Math.round((known.cents / known.gpus) * wanted.gpuCount);
    return `about ${dollars(scaled)} an hour, based on the cost of rental ${known.id}`;
  });
}

/** Gets the service's rental options if its description lists them; undefined otherwise. Never throws. */
async function rentalOptions(
  { describe, request }: Pick<Context, "describe" | "request">,
  limits: Parameters<Context["request"]>[1],
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
 * The hourly cost in cents according to the service's rental options. Takes the cheapest option with the wanted number
 * of GPUs, or else the fewest smaller machines that add up to it. Undefined when no option matches.
 */
export function hourlyCentsOf(options: unknown, wanted: Wanted): number | undefined {
  const prices = recordsOf(options).flatMap((option) => {
    if (!isRecord(option) || !fits(option, wanted)) return [];
    const { gpuCount, costPerHourCents } = option;
    if (typeof gpuCount !== "number" || typeof costPerHourCents !== "number") return [];
    const machines = wanted.gpuCount / gpuCount;
    return Number.isInteger(machines) ? [{ machines, cents: costPerHourCents * machines }] : [];
  });
  const fewest = Math.min(...prices.map(({ machines }) => machines));
  const best = prices.filter(({ machines }) => machines === fewest).map(({ cents }) => cents);
  return best.length > 0 ? Math.min(...best) : undefined;
}

/** Whether an option has the wanted GPU, type, region and network. One without a type, region or network fits any. */
const fits = (option: Readonly<Record<string, unknown>>, wanted: Wanted): boolean =>
  (rentalTypeOf(option) ?? wanted.type) === wanted.type &&
  String(option.gpuType).toLowerCase() === wanted.gpuType.toLowerCase() &&
  (option.region ?? wanted.region) === wanted.region &&
  (option.connectionType ?? wanted.networkType) === wanted.networkType;

/** The cost of a rental in a list of one; an empty list if its GPU or term differs, or its cost is unknown. */
function pricedLike({ gpuType, termType }: Wanted, record: unknown) {
  const text = (paths: readonly string[]) => String(firstAt(record, paths) ?? "").toLowerCase();
  const gpus = Number(firstAt(record, ["gpuCount"]));
  const cents = hourlyCost(record);
  const id = idOf(record);
  const same = text(["gpuType"]) === gpuType.toLowerCase() && text(termPaths) === termType.toLowerCase();
  if (!same || id === undefined || cents === undefined || !(cents > 0) || !(gpus > 0)) return [];
  return [{ id, gpus, cents, created: parseTime(String(firstAt(record, ["createdAt", "startedAt"]))) ?? 0 }];
}
