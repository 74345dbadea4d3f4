import { parseWait } from "../core/durations.ts";
import { UsageError } from "../core/errors.ts";
import { parseCents, parsePrice } from "../core/money.ts";
import { noChoice } from "../core/text.ts";
import { urlProblem } from "../core/urls.ts";
import { type ConfigRule, choicesOf, configKey } from "./keys.ts";

/** The text of a setting, and where it was given, for messages: a flag, a variable, a profile. */
export interface SourcedText {
  readonly text: string;
  readonly source: string;
}

/** Throws `UsageError` unless it is one of the choices. */
export function choice<Choice extends string>(
  given: SourcedText | undefined,
  choices: readonly Choice[],
): Choice {
  const known = choices.find((one) => one === given?.text);
  if (known === undefined) {
    throw new UsageError(noChoice(given?.source ?? "the default", choices, given?.text ?? ""));
  }
  return known;
}

/** A base URL as given. Throws `UsageError` unless it is an http or https URL. */
export function url(given: SourcedText | undefined): string | undefined {
  if (given === undefined) return undefined;
  const problem = urlProblem(given.text);
  if (problem) {
    throw new UsageError(`${given.source} must be ${problem}, not ${JSON.stringify(given.text)}`);
  }
  return given.text;
}

/** Milliseconds. Throws `UsageError` for an invalid duration, zero, or one too long for a timer. */
export function duration(given: SourcedText | undefined): number | undefined {
  if (given === undefined) return undefined;
  const milliseconds = parseWait(given.text, given.source);
  if (milliseconds > 0) return milliseconds;
  throw new UsageError(`${given.source} must be greater than 0, not ${JSON.stringify(given.text)}`);
}

/** A whole number. Throws `UsageError` for anything else. */
export function retries(given: SourcedText | undefined): number {
  if (!given || !/^\d{1,3}$/.test(given.text)) {
    throw new UsageError(
      `${given?.source} must be a whole number from 0 to 999, not ${JSON.stringify(given?.text)}`,
    );
  }
  return Number(given.text);
}

/** Each throws `UsageError`, as the flag would. */
const rules: Readonly<Record<ConfigRule, (given: SourcedText, choices: readonly string[]) => unknown>> = {
  amount: ({ text, source }) => parseCents(text, source),
  choice,
  count: retries,
  duration,
  price: ({ text, source }) => parsePrice(text, source),
  switch: choice,
  text: ({ text, source }) => {
    if (text.trim() === "") throw new UsageError(`${source} must not be empty`);
  },
  url,
};

/** Throws `UsageError` unless the value is valid for the key, by the same rule as the flag that it is the default of. */
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

/** What is wrong with the name of a profile; undefined for a valid one. */
export const nameProblem = (name: string): string | undefined =>
  /^[\w.][\w.-]{0,63}$/.test(name) && name !== "__proto__"
    ? undefined
    : "A name has 1 to 64 letters, digits, -, _ and ., and does not start with -.";
