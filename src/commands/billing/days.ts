import { firstAt, shownAt } from "../../core/json.ts";
import { exactCents, type Money, moneyOfCents } from "../../core/values/money.ts";
import { parseTime } from "../../core/values/times.ts";

/** Possible paths of the amount, the start and the end in a line of usage: services name them differently. */
export const amountPaths = ["amountCents", "costCents", "totalCents", "amount_cents", "cost_cents"];
export const fromPaths = ["from", "startedAt", "start", "periodStart", "date", "day"];
export const untilPaths = ["until", "endedAt", "terminatedAt", "end", "periodEnd"];
/** Paths of the day, in lines that are for one whole day. */
const dayPaths = ["date", "day"];

/** The exact amount of a line; undefined for a line without one. */
export function amountOf(line: unknown): Money | undefined {
  const cents = firstAt(line, amountPaths);
  if (typeof cents !== "number" || !Number.isFinite(cents)) return undefined;
  return moneyOfCents(exactCents(cents, shownAt(line, amountPaths)));
}

export interface DayCost {
  /** Such as `2026-11-20`, in UTC. */
  readonly date: string;
  readonly cost: Money;
}

const dayMs = 86_400_000;
const oneCent = moneyOfCents(1);
const daysPerPause = 100_000;

/**
 * The cost of each day from the first to the last, including days without costs. A line's amount is spread evenly over
 * its time, in whole cents; the last day gets the rest, so that the sum is exact. A line for one whole day counts on
 * that day. Any other line without an end lasts until `now`. `undated` is the sum of the lines without a start. Calls
 * `pause` regularly, because a line that lasts thousands of years takes long.
 */
export async function costPerDay(
  lines: readonly unknown[],
  now: number,
  pause: () => Promise<void>,
): Promise<{ readonly days: readonly DayCost[]; readonly undated: Money }> {
  const byDay = new Map<number, Money>();
  let undated: Money = 0n;
  const add = (day: number, cost: Money) => byDay.set(day, (byDay.get(day) ?? 0n) + cost);
  let added = 0;
  for (const line of lines) {
    const amount = amountOf(line);
    if (amount === undefined) continue;
    const from = timeAt(line, fromPaths);
    if (from === undefined) {
      undated += amount;
      continue;
    }
    const isDay = firstAt(line, dayPaths) !== undefined;
    const until = isDay ? from : Math.max(from, timeAt(line, untilPaths) ?? now);
    let before: Money = 0n;
    for (let day = Math.floor(from / dayMs); day * dayMs <= until; day += 1) {
      const end = Math.min(until, (day + 1) * dayMs);
      // Rounding the running total, not each day, keeps the sum exact.
      const soFar = end === until ? amount : wholeCents(amount, end - from, until - from);
      add(day, soFar - before);
      added += 1;
      if (added % daysPerPause === 0) await pause();
      before = soFar;
      if (end === until) break;
    }
  }
  const known = [...byDay.keys()];
  const first = known.reduce((least, day) => Math.min(least, day), Number.POSITIVE_INFINITY);
  const last = known.reduce((most, day) => Math.max(most, day), Number.NEGATIVE_INFINITY);
  const days = Array.from({ length: known.length === 0 ? 0 : last - first + 1 }, (_, at) => ({
    date: new Date((first + at) * dayMs).toISOString().slice(0, 10),
    cost: byDay.get(first + at) ?? 0n,
  }));
  return { days, undated };
}

/** The share `part / whole` of an amount, in whole cents. */
function wholeCents(amount: Money, part: number, whole: number): Money {
  const divisor = BigInt(Math.round(whole)) * oneCent;
  return ((amount * BigInt(Math.round(part)) + divisor / 2n) / divisor) * oneCent;
}

function timeAt(line: unknown, paths: readonly string[]): number | undefined {
  const text = firstAt(line, paths);
  return typeof text === "string" ? parseTime(text) : undefined;
}
