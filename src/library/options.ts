import { withoutPassword } from "../core/urls.ts";

/** A rule for the value of an option: what it must be, in words, and a check. */
export interface OptionRule {
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

export const booleanRule: OptionRule = {
  expected: "true or false",
  isValid: (value) => typeof value === "boolean",
};
export const functionRule: OptionRule = {
  expected: "a function",
  isValid: (value) => typeof value === "function",
};

export const oneOfRule = (choices: readonly string[]): OptionRule => ({
  expected: `one of ${choices.join(", ")}`,
  isValid: (value) => choices.some((choice) => choice === value),
});

export const wholeNumberRule = (min: number, max = Number.POSITIVE_INFINITY): OptionRule => ({
  expected: `a whole number ${max === Number.POSITIVE_INFINITY ? `of at least ${min}` : `from ${min} to ${max}`}`,
  isValid: (value) => typeof value === "number" && Number.isInteger(value) && value >= min && value <= max,
});

/** Checks options against their rules. @throws TypeError saying what is invalid, and what is accepted */
export function checkOptions(
  owner: string,
  given: unknown,
  rules: Readonly<Record<string, OptionRule>>,
  required: readonly string[] = [],
): void {
  const names = Object.keys(rules);
  if (typeof given !== "object" || given === null) {
    throw new TypeError(
      `${owner} requires an object with options (${names.join(", ")}), not ${shown(given)}`,
    );
  }
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`${owner} has no option ${unknown}; its options are ${names.join(", ")}`);
  }
  const values = new Map(Object.entries(given));
  for (const [name, { expected, isValid }] of Object.entries(rules)) {
    const value = values.get(name);
    if (value === undefined ? required.includes(name) : !isValid(value)) {
      throw new TypeError(`${name} must be ${expected}, not ${shown(value)}`);
    }
  }
}

/**
 * Formats a value for an error message. Leaves out the contents of objects, which may be secret or very long, and the
 * password of a URL.
 */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(/:[\\/]/.test(value) ? withoutPassword(value) : value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
