import { timeUnits } from "../core/durations.ts";

const STAMP =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?)?$/;

/**
 * Milliseconds since 1970 of a timestamp in ISO 8601 or in the format of databases (`2026-09-12 13:59:00.123+00`), UTC
 * without an offset. Undefined for anything else, including dates that do not exist.
 */
export function parseTime(text: string): number | undefined {
  const match = STAMP.exec(text.trim());
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const milliseconds = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const utc = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  const written = new Date(utc).toISOString();
  if (!written.startsWith(`${match[1]}-${match[2]}-${match[3]}`)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return utc - offset(match[9], match[10], match[11]);
}

function offset(sign = "+", hours = "0", minutes = "0"): number {
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === "-" ? -size : size;
}

const steps = [{ unit: "y", milliseconds: 365 * 86_400_000 }, ...timeUnits];

/** The distance from `now` in its largest unit, rounded down: `3h ago`, `in 12d`, `now` within a second. */
export function relativeTime(then: number, now: number): string {
  const distance = Math.abs(then - now);
  const step = steps.find(({ milliseconds }) => distance >= milliseconds);
  if (step === undefined) return "now";
  const amount = `${Math.floor(distance / step.milliseconds)}${step.unit}`;
  return then > now ? `in ${amount}` : `${amount} ago`;
}
