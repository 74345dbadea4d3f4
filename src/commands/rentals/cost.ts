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

/** Cents an hour of a rental, if its record says so. */
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

/** Cents an hour of all active rentals: from the summary, or the sum of the listing, or undefined. */
async function currentBurn(context: Pick<Context, "call">): Promise<number | undefined> {
  const fromSummary = hourlyTotal(await context.call("getActiveRentalSummary", {}));
  if (fromSummary !== undefined) return fromSummary;
  const costs = (await listActive(context)).map(({ record }) => hourlyCost(record));
  return costs.includes(undefined) ? undefined : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

/**
 * The summary's hourly total. The service does not document its name: the total is the largest of all costs, of those
 * by the hour where a name says so.
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

/** Milliseconds that an estimate may take: the user is waiting for a question. */
const estimateTimeout = 5_000;

/**
 * The hourly cost of a rental, in words: by the service's rental options where it lists them, or by the user's newest
 * rental with the same GPU and term, active ones first. It is an estimate, as the response to the create may differ;
 * undefined when there is nothing to go by.
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
    // The price of an option is the on-demand price.
    const onDemand = wanted.termType.toLowerCase() === termTypes[0];
    const cents = onDemand ? hourlyCentsOf(await rentalOptions(context, limits), wanted) : undefined;
    if (cents !== undefined) return `about ${dollars(cents)} an hour, by the service's rental options`;
    const known = (await newestLike(kinds[wanted.type].list)) ?? (await newestLike("listRentalHistory"));
    if (known === undefined) return undefined;
    const scaled = Math.round((known.cents / known.gpus) * wanted.gpuCount);
    return `about ${dollars(scaled)} an hour, by what rental ${known.id} costs`;
  });
}

/** The rental options of the service, if its description lists them; undefined otherwise. Never throws. */
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
 * Cents an hour by the rental options of the service: the cheapest option that matches exactly, or the one of a
 * smaller machine whose number of GPUs divides the number wanted. Undefined when no option matches.
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

/** A field that an option leaves out excludes nothing. */
const fits = (option: Readonly<Record<string, unknown>>, wanted: Wanted): boolean =>
  (rentalTypeOf(option) ?? wanted.type) === wanted.type &&
  String(option.gpuType).toLowerCase() === wanted.gpuType.toLowerCase() &&
  (option.region ?? wanted.region) === wanted.region &&
  (option.connectionType ?? wanted.networkType) === wanted.networkType;

/** What a rental costs, in a list that is empty if its GPU or term is another, or its cost is unknown. */
function pricedLike({ gpuType, termType }: Wanted, record: unknown) {
  const text = (paths: readonly string[]) => String(firstAt(record, paths) ?? "").toLowerCase();
  const gpus = Number(firstAt(record, ["gpuCount"]));
  const cents = hourlyCost(record);
  const id = idOf(record);
  const same = text(["gpuType"]) === gpuType.toLowerCase() && text(termPaths) === termType.toLowerCase();
  if (!same || id === undefined || cents === undefined || !(cents > 0) || !(gpus > 0)) return [];
  return [{ id, gpus, cents, created: parseTime(String(firstAt(record, ["createdAt", "startedAt"]))) ?? 0 }];
}
