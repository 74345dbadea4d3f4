import { UsageError } from "./errors.ts";

const HUNDREDTHS_PER_DOLLAR = 10_000n;

/** Formats hundredths of a cent as dollars with two to four decimals and thousands separators, such as `-$1,234.50`. */
function usd(hundredths: bigint): string {
  const absolute = hundredths < 0n ? -hundredths : hundredths;
  const whole = String(absolute / HUNDREDTHS_PER_DOLLAR).replace(/\B(?=(?:\d{3})+$)/g, ",");
  const decimals = String(absolute % HUNDREDTHS_PER_DOLLAR)
    .padStart(4, "0")
    .replace(/0{1,2}$/, "");
  return `${hundredths < 0n ? "-" : ""}$${whole}.${decimals}`;
}

/**
 * Formats cents as dollars, such as `$1,234.50`: whole cents exactly, and fractions to a hundredth of a cent. A number
 * that is not finite is returned as text.
 */
export function dollars(cents: number): string {
  if (!Number.isFinite(cents)) return String(cents);
  const whole = Math.trunc(cents);
  return usd(BigInt(whole) * 100n + BigInt(Math.round((cents - whole) * 100)));
}

/**
 * Formats dollars to a hundredth of a cent, without floating-point noise: `0.0025` is `$0.0025`, `0.04` is `$0.04`. For
 * prices of single calls; use whole cents for larger sums. A number that is not finite is returned as text.
 */
export function exactDollars(amount: number): string {
  const hundredths = Number((amount * 10_000).toPrecision(15));
  return Number.isFinite(hundredths) ? usd(BigInt(Math.round(hundredths))) : String(amount);
}

/**
 * Parses an amount in dollars (`1234.5`, `1,234.50`, `$12`) into whole cents, without floating point. Undefined for
 * anything else, such as a sign, more than two decimals, or more cents than a number can hold exactly.
 */
export function parseDollars(text: string): number | undefined {
  const match = /^\$?(\d{1,3}(?:,\d{3})+|\d+|(?=\.))(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = "", decimals = ""] = match;
  const cents = Number(whole.replaceAll(",", "") + decimals.padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? cents : undefined;
}

/** Parses an amount in dollars into cents. The `UsageError` that it throws names `source`: a flag, variable or key. */
export function parseCents(text: string, source: string): number {
  const cents = parseDollars(text);
  if (cents === undefined) {
    throw new UsageError(`${source} must be an amount in dollars such as 12.50, not ${JSON.stringify(text)}`);
  }
  return cents;
}

/**
 * Parses an amount in dollars into hundredths of a cent, for prices below a cent. Throws `UsageError` like
 * `parseCents`.
 */
export function parsePrice(text: string, source: string): number {
  const [, whole = "", digits = ""] = /^([^.]*\.?\d{0,2})(\d{0,2})$/.exec(text.trim()) ?? [];
  return parseCents(digits === "" ? text : whole, source) * 100 + Number(digits.padEnd(2, "0"));
}
