import { duration, longestDuration, parseDuration } from "../../output/durations.ts";
import { parseDollars } from "../../output/units.ts";
import { UsageError } from "../errors.ts";
import type { Args } from "../spec.ts";

/** An Id as typed: a whole number that JSON carries exactly becomes one, anything else stays text. */
export function parseId(text: string): number | string {
  const number = Number(text);
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(number) ? number : text;
}

/** A number as typed, or a `UsageError` that names the flag. */
export function parseNumber(text: string, flag: string): number {
  const number = Number(text);
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) || !Number.isFinite(number)) {
    throw new UsageError(`${flag} must be a number, not ${JSON.stringify(text)}`);
  }
  if (/^[-+]?\d+$/.test(text) && !Number.isSafeInteger(number)) {
    throw new UsageError(`${flag} is too large to be sent exactly: ${text}`);
  }
  return number;
}

/** Milliseconds of a duration flag, or of its default. */
export function durationFlag(flags: Args["flags"], name: string): number {
  return waitable(String(flags[name]), `--${name}`);
}

/** Milliseconds of a duration that a timer can hold, or a `UsageError` that names where it was given. */
export function waitable(text: string, source: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new UsageError(
      `${source} must be a duration such as 30s, 2m or 1h30m, not ${JSON.stringify(text)}`,
    );
  }
  if (milliseconds > longestDuration) {
    throw new UsageError(
      `${source} must be at most ${duration(longestDuration)}, not ${JSON.stringify(text)}`,
    );
  }
  return milliseconds;
}

/** Hundredths of a cent of an amount of dollars, for prices below a cent. */
export function fineAmountFlag(text: string, flag: string): number {
  const [, whole = "", digits = ""] = /^([^.]*\.?\d{0,2})(\d{0,2})$/.exec(text.trim()) ?? [];
  return amountFlag(digits === "" ? text : whole, flag) * 100 + Number(digits.padEnd(2, "0"));
}

/** Cents of an amount of dollars. */
export function amountFlag(text: string, flag: string): number {
  const cents = parseDollars(text);
  if (cents === undefined) {
    throw new UsageError(`${flag} must be an amount in dollars such as 12.50, not ${JSON.stringify(text)}`);
  }
  return cents;
}
