import { UsageError } from "../core/errors.ts";
import { invalidChoice } from "../core/text.ts";
import { urlProblem, withoutPassword } from "../core/urls.ts";
import { parseWait } from "../core/values/durations.ts";
import { parseMoney } from "../core/values/money.ts";
import { parsePrices } from "../core/values/prices.ts";
import { type ConfigRule, choicesOf, configKey } from "./keys.ts";

/** The text of a setting, and its source for messages: a flag, a variable or a profile. */
export interface SourcedText {
  readonly text: string;
  readonly source: string;
}

/** Parses a text that must be one of the choices. Throws `UsageError` if it is not. */
export function parseChoice<Choice extends string>(
  given: SourcedText | undefined,
  choices: readonly Choice[],
): Choice {
  const known = choices.find((one) => one === given?.text);
  if (known === undefined) {
    throw new UsageError(invalidChoice(given?.source ?? "the default", choices, given?.text ?? ""));
  }
  return known;
}

/**
 * Parses a base URL; returns it unchanged. Throws `UsageError` if it is not an http or https URL, or has a user name or
 * a password.
 */
export function parseBaseUrl(given: SourcedText | undefined): string | undefined {
  if (given === undefined) return undefined;
  const problem = urlProblem(given.text);
  if (problem) {
    throw new UsageError(
      `${given.source} must be ${problem}, not ${JSON.stringify(withoutPassword(given.text))}`,
    );
  }
  return given.text;
}

/** Parses a timeout into milliseconds. Throws `UsageError` if it is invalid, zero, or over `maxDuration`. */
export function parseTimeout(given: SourcedText | undefined): number | undefined {
  if (given === undefined) return undefined;
  const milliseconds = parseWait(given.text, given.source);
  if (milliseconds > 0) return milliseconds;
  throw new UsageError(`${given.source} must be greater than 0, not ${JSON.stringify(given.text)}`);
}

/** Parses a number of retries. Throws `UsageError` if it is not a whole number from 0 to 999. */
export function parseRetries(given: SourcedText | undefined): number {
  if (!given || !/^\d{1,3}$/.test(given.text)) {
    throw new UsageError(
      `${given?.source} must be a whole number from 0 to 999, not ${JSON.stringify(given?.text)}`,
    );
  }
  return Number(given.text);
}

/**
 * How to validate each kind of setting. The rules are the same as for the matching flag. Each function throws
 * `UsageError` if the value is invalid.
 */
const rules: Readonly<Record<ConfigRule, (given: SourcedText, choices: readonly string[]) => unknown>> = {
  choice: parseChoice,
  count: parseRetries,
  dollars: ({ text, source }) => parseMoney(text, source),
  duration: parseTimeout,
  prices: ({ text, source }) => parsePrices(text, source),
  switch: parseChoice,
  text: ({ text, source }) => {
    if (text.trim() === "") throw new UsageError(`${source} must not be empty`);
  },
  url: parseBaseUrl,
};

/** Throws `UsageError` if the value is invalid for the key. */
export function checkValue(name: string, text: string): void {
  const key = configKey(name);
  if (key) rules[key.rule]({ text, source: name }, choicesOf(key) ?? []);
}

/** Whether a value is valid for a key. */
export function isUsable(name: string, text: string): boolean {
  try {
    checkValue(name, text);
    return true;
  } catch {
    return false;
  }
}

/** Describes what is wrong with a profile name. Undefined if the name is valid. */
export const nameProblem = (name: string): string | undefined =>
  /^[\w.][\w.-]{0,63}$/.test(name) && name !== "__proto__"
    ? undefined
    : 'A profile name has 1 to 64 characters: letters, digits, "-", "_" and ".". It cannot start with "-", and cannot be "__proto__".';
