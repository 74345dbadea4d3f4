import type { Context } from "../../context/context.ts";
import { dollars } from "../../output/units.ts";
import { BudgetExceeded } from "../errors.ts";
import { isRecord } from "../shared/records.ts";
import { amountFlag } from "../shared/values.ts";
import { hourlyCost } from "./cost.ts";
import { listActive } from "./listing.ts";

/**
 * Throws `BudgetExceeded` when the active rentals already cost as much an hour as the limit (dollars, as typed),
 * or when nobody can say what they cost.
 */
export async function withinBurn(
  limit: string | readonly string[] | boolean | undefined,
  context: Pick<Context, "call" | "settings">,
): Promise<void> {
  if (typeof limit !== "string" || context.settings.dryRun) return;
  const most = amountFlag(limit, "--max-burn");
  const burn = await currentBurn(context);
  if (burn === undefined) {
    throw new BudgetExceeded(
      "the hourly cost of what is active cannot be found out, so the burn limit cannot be held",
    );
  }
  if (burn >= most) {
    throw new BudgetExceeded(
      `what is active costs ${dollars(burn)} an hour already; the limit is ${dollars(most)}`,
    );
  }
}

/** Cents an hour of everything active: from the summary, else added up from the listing, else unknown. */
async function currentBurn(context: Pick<Context, "call">): Promise<number | undefined> {
  const fromSummary = hourlyTotal(await context.call("getActiveRentalSummary", {}));
  if (fromSummary !== undefined) return fromSummary;
  const costs = (await listActive(context, {})).map(({ record }) => hourlyCost(record));
  return costs.includes(undefined) ? undefined : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

/**
 * The summary's hourly total. The service does not say how it is called: of all costs, by the hour where names say so,
 * the total is the largest.
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
