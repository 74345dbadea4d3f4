import { dollars } from "./money.ts";
import { isRecord } from "./paths.ts";
import { isSimpleList, plainText } from "./plain-text.ts";

/** A value inside a record, under the dotted path that leads to it. */
export interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

/** Deeper than any record that a person reads; below it a value is one leaf. */
const DEEPEST = 16;

/**
 * Every value of a record in the record's own order, the steps into it joined with dots. A simple list is one leaf, and
 * so is a record that holds nothing.
 */
export function* leaves(value: unknown, path = "", depth = 0): Generator<Leaf> {
  const steps = depth < DEEPEST ? stepsInto(value) : [];
  if (steps.length === 0)
    yield { path, value: isRecord(value) && Object.keys(value).length === 0 ? "" : value };
  for (const [key, inner] of steps) {
    yield* leaves(inner, path === "" ? key : `${path}.${key}`, depth + 1);
  }
}

function stepsInto(value: unknown): readonly [string, unknown][] {
  if (isSimpleList(value)) return [];
  return Array.isArray(value) || isRecord(value) ? Object.entries(value) : [];
}

/** A leaf as a person reads it: cents are dollars, under a name that no longer says cents. */
export function shownLeaf({ path, value }: Leaf): { readonly path: string; readonly text: string } {
  if (typeof value === "number" && saysCents(path)) return { path: withoutCents(path), text: dollars(value) };
  return { path, text: plainText(value) };
}

/** The path without the word that its values no longer need once they are dollars. */
export const withoutCents = (path: string): string => path.replace(/_?cents(?=\.|$)/i, "");

/** True of a path through `costPerHourCents`, `price_in_cents`, `centsPriceTotal`; not through `percents`. */
export const saysCents = (path: string): boolean =>
  path
    .split(".")
    .some((name) => /Cents$|(?:^|_)cents$/.test(name) || (/cents/i.test(name) && /cost|price/i.test(name)));
