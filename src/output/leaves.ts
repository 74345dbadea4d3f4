import { dollars } from "./money.ts";
import { isRecord } from "./paths.ts";
import { isSimpleList, plainText } from "./plain-text.ts";

/** A value inside a record, under the dotted path that leads to it. */
export interface Leaf {
  readonly path: string;
  readonly text: string;
}

/** Deeper than any record that a person reads; below it a value is one leaf. */
const DEEPEST = 16;

/**
 * Every value of a record in the record's own order, the steps into it joined with dots. Simple lists are one leaf,
 * joined with commas; numbers under a name that says cents are dollars.
 */
export function* leaves(value: unknown, path = "", depth = 0): Generator<Leaf> {
  const steps = depth < DEEPEST ? stepsInto(value) : [];
  if (steps.length === 0) yield leaf(value, path);
  for (const [key, inner] of steps) {
    yield* leaves(inner, path === "" ? key : `${path}.${key}`, depth + 1);
  }
}

function stepsInto(value: unknown): readonly [string, unknown][] {
  if (isSimpleList(value)) return [];
  return Array.isArray(value) || isRecord(value) ? Object.entries(value) : [];
}

/** Cents are drawn as dollars, under a name that no longer says cents. */
function leaf(value: unknown, path: string): Leaf {
  if (typeof value === "number" && path.split(".").some(saysCents)) {
    return { path: path.replace(/_?cents(?=\.|$)/i, ""), text: dollars(value) };
  }
  return { path, text: isRecord(value) && Object.keys(value).length === 0 ? "" : plainText(value) };
}

/** `costPerHourCents`, `price_in_cents`, `centsPriceTotal`; not `percents`. */
function saysCents(name: string): boolean {
  return /Cents$|(?:^|_)cents$/.test(name) || (/cents/i.test(name) && /cost|price/i.test(name));
}
