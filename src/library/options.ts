/** What the value of an option must be, in words, and whether a value is that. */
export interface OptionRule {
  readonly right: string;
  readonly holds: (value: unknown) => boolean;
}

export const aSwitch: OptionRule = { right: "true or false", holds: (value) => typeof value === "boolean" };
export const aFunction: OptionRule = {
  right: "a function",
  holds: (value) => typeof value === "function",
};

/** One of these texts. */
export const oneOf = (choices: readonly string[]): OptionRule => ({
  right: `one of ${choices.join(", ")}`,
  holds: (value) => choices.some((choice) => choice === value),
});

/** A whole number in a range. */
export const wholeNumber = (least: number, most = Number.POSITIVE_INFINITY): OptionRule => ({
  right: `a whole number from ${least} ${most === Number.POSITIVE_INFINITY ? "up" : `to ${most}`}`,
  holds: (value) => typeof value === "number" && Number.isInteger(value) && value >= least && value <= most,
});

/** Holds what somebody gave against the options there are. Throws `TypeError` that names the option and says what would be right. */
export function checkOptionsOf(
  owner: string,
  given: unknown,
  rules: Readonly<Record<string, OptionRule>>,
  required: readonly string[] = [],
): void {
  const names = Object.keys(rules);
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`${owner} takes an object with options (${names.join(", ")}), not ${shown(given)}`);
  }
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new TypeError(`${owner} has no option ${unknown}: there are ${names.join(", ")}`);
  }
  const values = new Map(Object.entries(given));
  for (const [name, { right, holds }] of Object.entries(rules)) {
    const value = values.get(name);
    if (value === undefined ? required.includes(name) : !holds(value)) {
      throw new TypeError(`${name} must be ${right}, not ${shown(value)}`);
    }
  }
}

/** A value as a message shows it: what an object holds may be a secret, and may have no end. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
