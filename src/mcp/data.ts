import { isNestedBeyond } from "../core/json.ts";
import { unicodeEscape, unseen } from "../core/unseen.ts";
import { exactText, stringifyExactly } from "../core/values/exact-numbers.ts";

/** Invisible characters, and control characters except line feed and tab. */
const hidden = new RegExp(`[\\x00-\\x08\\x0b-\\x1f${unseen}]`, "g");

/** Shows every hidden character of a text from outside as `\uXXXX`. */
export const shownText = (text: string): string => text.replace(hidden, unicodeEscape);

/** How deeply the data of a result may be nested. Some JSON parsers fail on a few thousand levels. */
const maxLevels = 100;

/**
 * Copies a value from outside for a client. Hidden characters in texts are shown as `\uXXXX`. A whole number that JSON
 * readers would change, such as a long ID, becomes text. A value that is nested too deeply becomes its JSON text.
 */
export const shownData = (value: unknown): unknown =>
  isNestedBeyond(value, maxLevels) ? shownText(stringifyExactly(value) ?? "null") : shownValue(value);

function shownValue(value: unknown): unknown {
  if (typeof value === "string") return shownText(value);
  if (typeof value !== "object" || value === null) return value;
  const shown = (key: string, inner: unknown) =>
    Number.isInteger(inner) && !Number.isSafeInteger(inner)
      ? (exactText(value, key) ?? inner)
      : shownValue(inner);
  if (Array.isArray(value)) return value.map((inner, at) => shown(String(at), inner));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [shownText(key), shown(key, inner)]));
}
