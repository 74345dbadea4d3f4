import { UsageError } from "./errors.ts";

const HUNDREDTHS_PER_DOLLAR = 10_000n;

/** An amount in hundredths of a cent: at least two decimals, at most four, with thousands separators, such as `-$1,234.50`. */
function usd(hundredths: bigint): string {
  const size = hundredths < 0n ? -hundredths : hundredths;
  const whole = String(size / HUNDREDTHS_PER_DOLLAR).replace(/\B(?=(?:\d{3})+$)/g, ",");
  const decimals = String(size % HUNDREDTHS_PER_DOLLAR)
    .padStart(4, "0")
    .replace(/0{1,2}$/, "");
  return `${hundredths < 0n ? "-" : ""}$${whole}.${decimals}`;
}

/**
 * Cents as dollars, such as `$1,234.50`: exact for every whole number of cents that a number can hold, and to a
 * hundredth of a cent otherwise. A number that is not finite is returned as text.
 */
export function dollars(cents: number): string {
  if (!Number.isFinite(cents)) return String(cents);
  const whole = Math.trunc(cents);
  return usd(BigInt(whole) * 100n + BigInt(Math.round((cents - whole) * 100)));
}

/**
 * Dollars, exact to a hundredth of a cent and free of the noise of floating point: `0.0025` is `$0.0025`, `0.04` is
 * `$0.04`. For prices of single calls; use whole cents for larger sums. A number that is not finite is returned as text.
 */
export function exactDollars(amount: number): string {
  const hundredths = Number((amount * 10_000).toPrecision(15));
  return Number.isFinite(hundredths) ? usd(BigInt(Math.round(hundredths))) : String(amount);
}

/**
 * Whole cents of an amount as typed (`1234.5`, `1,234.50`, `$12`), read without floating point. Undefined
 * for anything else: a sign, more than two decimals, more cents than a number holds exactly.
 */
export function parseDollars(text: string): number | undefined {
  const match = /^\$?(\d{1,3}(?:,\d{3})+|\d+|(?=\.))(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = "", decimals = ""] = match;
  const cents = Number(whole.replaceAll(",", "") + decimals.padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? cents : undefined;
}

/** Cents of an amount in dollars. `source` is a flag, variable or key. Throws `UsageError`. */
export function parseCents(text: string, source: string): number {
  const cents = parseDollars(text);
  if (cents === undefined) {
    throw new UsageError(`${source} must be an amount in dollars such as 12.50, not ${JSON.stringify(text)}`);
  }
  return cents;
}

/** Hundredths of a cent of an amount in dollars, for prices below a cent. Throws `UsageError`. */
export function parsePrice(text: string, source: string): number {
  const [, whole = "", digits = ""] = /^([^.]*\.?\d{0,2})(\d{0,2})$/.exec(text.trim()) ?? [];
  return parseCents(digits === "" ? text : whole, source) * 100 + Number(digits.padEnd(2, "0"));
}
