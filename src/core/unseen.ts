/**
 * Invisible characters that change how the text around them is shown: DEL, C1 controls, direction marks and overrides,
 * line separators, and the byte order mark. They are written for use in a character class of a regular expression.
 */
export const unseen = "\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ufeff";

/** A character as `\uXXXX`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
