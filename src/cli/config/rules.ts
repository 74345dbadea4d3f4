import { type ConfigKeyName, type ConfigRule, choicesOf, configKey } from "../../commands/config/keys.ts";
import { UsageError } from "../../commands/errors.ts";
import { amountFlag, fineAmountFlag } from "../../commands/shared/values.ts";
import { choice, duration, type Found, retries, url } from "../setting-values.ts";

/** Each throws `UsageError`, as the flag would. */
const rules: Readonly<Record<ConfigRule, (found: Found, choices: readonly string[]) => unknown>> = {
  amount: ({ text, source }) => amountFlag(text, source),
  choice,
  count: retries,
  duration,
  "fine-amount": ({ text, source }) => fineAmountFlag(text, source),
  switch: choice,
  text: ({ text, source }) => {
    if (text.trim() === "") throw new UsageError(`${source} must not be empty`);
  },
  url,
};

/** Throws `UsageError` unless a value may be kept under a key: the rule of the flag that it stands in for. */
export function checkValue(name: ConfigKeyName, text: string): void {
  const key = configKey(name);
  if (key) rules[key.rule]({ text, source: name }, choicesOf(key) ?? []);
}

/** Whether a value may be kept under a key. */
export function isUsable(name: ConfigKeyName, text: string): boolean {
  try {
    checkValue(name, text);
    return true;
  } catch {
    return false;
  }
}
