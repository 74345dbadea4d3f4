import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { termEndPaths } from "../../command-kit/responses.ts";
import { UsageError } from "../../core/errors.ts";
import { asText, firstAt } from "../../core/json.ts";
import { timeUnits } from "../../core/values/durations.ts";
import { parseTime } from "../../core/values/times.ts";
import { presentRental, rentalOfTerm, termCommand, withPrice } from "./term.ts";

export default defineCommand({
  path: "reserve extend",
  summary: "Extend a reserved term",
  details:
    "The service rejects the request if the price or the end of the term differs from what you expect. By default, gpuctl expects the new term to end the given number of days after the current end. To expect another end, use --expected-reserved-until with a time or a date. If you give only a date, such as 2027-01-19, gpuctl adds the time of day at which the current term ends (midnight UTC in a dry run, or if the current end is not known).",
  ...termCommand("extendReserved"),
  args: [rentalOfTerm("reserved")],
  defaulted: { expectedReservedUntil: "always" },
  buildInput: async ({ input, flags, ...context }) => {
    const expectedReservedUntil = await expectedEnd(input, context);
    return { ...withPrice({ input, flags }), ...(expectedReservedUntil && { expectedReservedUntil }) };
  },
  examples: [
    {
      text: "Extend a term by 30 days",
      command: "gpuctl reserve extend 1001 --days 30 --expected-price 1296.00 --sandbox --yes",
      after: [sandboxExamples.reservedRental],
    },
    {
      text: "Show the request that would extend a term until a date and time",
      command:
        "gpuctl reserve extend 1001 --days 30 --expected-price 1296.00 --expected-reserved-until 2027-01-19T02:00:00+02:00 --dry-run --sandbox",
    },
  ],
});

const dayMs = timeUnits[0].milliseconds;
/** The end of the year 9999. Years with more digits are not valid in a request. */
const latestTime = Date.UTC(10_000, 0) - 1;

interface Extension {
  readonly rentalId?: number | string;
  readonly termPeriodDays?: number;
  readonly expectedReservedUntil?: string;
}

/**
 * Returns when the extended term is expected to end. A given time is returned unchanged. A given date gets the time of
 * day of the current end. If neither is given, adds the days to the current end. If the input has no rental or no valid
 * number of days, returns what is given: the check of the input reports the problem later.
 */
async function expectedEnd(
  { rentalId, termPeriodDays: days, expectedReservedUntil: given }: Extension,
  { call, say, settings }: Pick<Context, "call" | "say" | "settings">,
): Promise<string | undefined> {
  const isDate = given !== undefined && /^\d{4}-\d\d-\d\d$/.test(given);
  if ((given !== undefined && !isDate) || rentalId === undefined || !isWhole(days)) return given;
  if (settings.dryRun) {
    if (isDate)
      return atMidnight(given, "A dry run does not look up the time of day at which the term ends", say);
    say(
      "A dry run sends nothing, so it does not know the current end of the term and shows only the request that would look it up. To see the request that extends the term, set --expected-reserved-until.",
    );
  }
  const end = parseTime(asText(firstAt(await presentRental(rentalId, call), termEndPaths)));
  if (end === undefined) {
    if (isDate) return atMidnight(given, "The current end of the term is not known", say);
    throw new UsageError(`the service reports no reserved term for rental ${rentalId}`, {
      hint: "To reserve the rental, run `gpuctl reserve convert`. If it is already reserved, set --expected-reserved-until.",
    });
  }
  const time = new Date(end).toISOString().slice("YYYY-MM-DD".length);
  if (isDate) return `${given}${time}`;
  const until = end + days * dayMs;
  if (until > latestTime) {
    throw new UsageError(`--days ${days} is too large: the term would end after the year 9999`);
  }
  return new Date(until).toISOString();
}

/** Returns midnight UTC on a date, and says why that time is used. */
function atMidnight(date: string, reason: string, say: Context["say"]): string {
  say(`${reason}, so --expected-reserved-until ${date} stands for midnight UTC.`);
  return `${date}T00:00:00.000Z`;
}

const isWhole = (days: number | undefined): days is number => Number.isInteger(days) && Number(days) > 0;
