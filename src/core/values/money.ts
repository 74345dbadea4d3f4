import { UsageError } from "../errors.ts";

/**
 * An exact amount of money, in units of 10^-22 dollars. The price of every picture is a whole number of these units
 * (service section 4.5, rule 4).
 */
export type Money = bigint;

const decimals = 22;
const oneDollar = 10n ** BigInt(decimals);
const centDecimals = decimals - 2;

/** Converts a decimal number, such as `12.5` or `1e-7`, to units of 10^-places. Further digits are cut off. */
function scaled(decimal: string, places: number): bigint {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(decimal) ?? [];
  const shift = places + Number(exponent) - fraction.length;
  const digits = BigInt(`${whole}${fraction}` || "0");
  const absolute = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign === "-" ? -absolute : absolute;
}

/**
 * Converts an amount in cents that a service sent. Rounds an amount with a fraction to 15 significant digits, because
 * the errors of floating-point numbers start at the 16th digit.
 */
export const moneyOfCents = (cents: number | bigint): Money =>
  typeof cents === "bigint" || Number.isInteger(cents)
    ? BigInt(cents) * 10n ** BigInt(centDecimals)
    : scaled(String(Number(cents.toPrecision(15))), centDecimals);

export const moneyOfDollars = (amount: number): Money => scaled(String(amount), decimals);

/**
 * Multiplies the amount by the factors and divides it by the divisors, without rounding in between. All numbers must be
 * finite.
 */
export function inProportion(amount: Money, factors: readonly number[], divisors: readonly number[]): Money {
  const product = (numbers: readonly number[]) =>
    numbers.reduce((result, number) => result * scaled(String(number), decimals), 1n);
  const unit = (count: number) => oneDollar ** BigInt(count);
  return (amount * product(factors) * unit(divisors.length)) / (product(divisors) * unit(factors.length));
}

/** The amount in dollars as a plain decimal with at least `places` decimals, such as `0.028125`. */
export function decimalText(amount: Money, places = 0): string {
  const absolute = amount < 0n ? -amount : amount;
  const fraction = String(absolute % oneDollar)
    .padStart(decimals, "0")
    .replace(/0+$/, "")
    .padEnd(places, "0");
  return `${amount < 0n ? "-" : ""}${absolute / oneDollar}${fraction && `.${fraction}`}`;
}

/**
 * The amount in dollars as the nearest number, for JSON. It prints as the exact decimal if that has at most 15 digits.
 */
export const dollarNumber = (amount: Money): number => Number(decimalText(amount));

/** The amount in cents as the nearest number, for JSON. */
export const centNumber = (amount: Money): number => dollarNumber(amount * 100n);

/** The exact amount as text for the user, with at least two decimals: `$1,234.50`, `-$0.028125`. */
export function dollarText(amount: Money): string {
  const [whole = "", fraction] = decimalText(amount, 2).replace("-", "").split(".");
  return `${amount < 0n ? "-" : ""}$${whole.replace(/\B(?=(?:\d{3})+$)/g, ",")}.${fraction}`;
}

/** Cents as they were received. `text` is the received text of a number that JavaScript would round. */
export const exactCents = (cents: number, text: unknown): number | bigint =>
  Number.isFinite(cents) && typeof text === "string" && /^-?\d+$/.test(text) ? BigInt(text) : cents;

/** Formats cents as dollars, such as `$1,234.50`. A number that is not finite is returned as text. */
export function dollars(cents: number | bigint): string {
  if (typeof cents === "bigint") return dollarText(moneyOfCents(cents));
  // Most amounts in a long list are handled here. Big integers would take ten times as long.
  if (Number.isInteger(cents) && cents >= 0 && cents < 100_000) {
    return `$${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
  }
  return Number.isFinite(cents) ? dollarText(moneyOfCents(cents)) : String(cents);
}

/**
 * The whole and the decimal digits of an amount in dollars: `1234.5`, `1,234.50`, `$12`. Undefined for anything else.
 */
function digitsOf(text: string): { readonly whole: string; readonly fraction: string } | undefined {
  const match = /^\$?(\d{1,3}(?:,\d{3})+|\d+|(?=\.))(?:\.(\d+))?$/.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = "", fraction = ""] = match;
  return { whole: whole.replaceAll(",", ""), fraction };
}

/**
 * Parses an amount in dollars into whole cents. Undefined if the text has a plus or minus sign or more than two
 * decimals, has more cents than a number can hold exactly, or is not an amount.
 */
export function parseDollars(text: string): number | undefined {
  const digits = digitsOf(text);
  if (digits === undefined || digits.fraction.length > 2) return undefined;
  const cents = Number(digits.whole + digits.fraction.padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? cents : undefined;
}

/**
 * Parses an amount in dollars into cents. Throws `UsageError` if the text is invalid. The error names `source`: a flag,
 * variable or configuration key.
 */
export function parseCents(text: string, source: string): number {
  const cents = parseDollars(text);
  if (cents === undefined) throw notAnAmount(text, source, "in dollars with at most two decimals,");
  return cents;
}

/** Parses an amount in dollars with any number of decimals. Throws `UsageError` like `parseCents`. */
export function parseMoney(text: string, source: string): Money {
  const digits = digitsOf(text);
  if (digits === undefined) throw notAnAmount(text, source);
  return scaled(`${digits.whole}.${digits.fraction}`, decimals);
}

/** A message shows at most this many characters of an invalid amount. */
const maxShown = 100;

const notAnAmount = (text: string, source: string, kind = "in dollars"): UsageError =>
  new UsageError(
    `${source} must be an amount ${kind} such as 12.50, not ${JSON.stringify(
      text.length > maxShown ? `${text.slice(0, maxShown)}…` : text,
    )}`,
  );
