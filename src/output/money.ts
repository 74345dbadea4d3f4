const HUNDREDTHS_PER_DOLLAR = 10_000n;

/** An amount in hundredths of a cent: at least two decimals, at most four, thousands apart, such as `-$1,234.50`. */
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
 * hundredth of a cent otherwise. What is not finite is returned as it is.
 */
export function dollars(cents: number): string {
  if (!Number.isFinite(cents)) return String(cents);
  const whole = Math.trunc(cents);
  return usd(BigInt(whole) * 100n + BigInt(Math.round((cents - whole) * 100)));
}

/**
 * Dollars, exact to a hundredth of a cent and free of the noise of floating point: `0.0025` is `$0.0025`, `0.04` is
 * `$0.04`. For prices of single answers; larger sums belong in whole cents. What is not finite is returned as it is.
 */
export function exactDollars(amount: number): string {
  const hundredths = Number((amount * 10_000).toPrecision(15));
  return Number.isFinite(hundredths) ? usd(BigInt(Math.round(hundredths))) : String(amount);
}

/**
 * Whole cents of an amount as a person types it (`1234.5`, `1,234.50`, `$12`), read without floating point. Undefined
 * for anything else: a sign, more than two decimals, more cents than a number holds exactly.
 */
export function parseDollars(text: string): number | undefined {
  const match = /^\$?(\d{1,3}(?:,\d{3})+|\d+|(?=\.))(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = "", decimals = ""] = match;
  const cents = Number(whole.replaceAll(",", "") + decimals.padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? cents : undefined;
}
