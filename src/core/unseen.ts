/**
 * What is not seen, but changes how the text around it is shown, as part of a character class: C1 controls, marks and
 * overrides of direction, line separators, and the byte order mark.
 */
export const unseen = "\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ufeff";

/** A character as `\uXXXX`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
