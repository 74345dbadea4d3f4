import { unicodeEscape, unseen } from "../core/unseen.ts";
import { exactText } from "../core/values/exact-numbers.ts";

/** Control characters except line feed and tab, and invisible characters. */
const hidden = new RegExp(`[\\x00-\\x08\\x0b-\\x1f${unseen}]`, "g");

/** A text from outside in which every hidden character is shown as `\uXXXX`. */
export const shownText = (text: string): string => text.replace(hidden, unicodeEscape);

/**
 * Copies a value from outside for a client. Hidden characters in texts are shown as `\uXXXX`. A whole number that JSON
 * readers would change, such as a long ID, becomes text.
 */
export function shownData(value: unknown): unknown {
  if (typeof value === "string") return shownText(value);
  if (typeof value !== "object" || value === null) return value;
  const shown = (key: string, inner: unknown) =>
    Number.isInteger(inner) && !Number.isSafeInteger(inner)
      ? (exactText(value, key) ?? inner)
      : shownData(inner);
  if (Array.isArray(value)) return value.map((inner, at) => shown(String(at), inner));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [shownText(key), shown(key, inner)]));
}
