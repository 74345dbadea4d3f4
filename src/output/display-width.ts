import fastStringWidth from "fast-string-width";

/** The assumed maximum of code units in a user-perceived character. It limits how much text is measured. */
const MAX_UNITS_PER_COLUMN = 16;
/** Matches text in which each character is one column wide: printable ASCII, and the ellipsis of a clipped text. */
const ONE_COLUMN_EACH = /^[ -~…]*$/;
/**
 * Format characters that have no width, although the library counts them. The zero-width joiner, U+200D, is not in the
 * list, because it combines several emoji into one.
 */
const ZERO_WIDTH = /[\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;

let segmenter: Intl.Segmenter | undefined;

const stringWidth = (text: string): number =>
  ONE_COLUMN_EACH.test(text) ? text.length : fastStringWidth(text.replace(ZERO_WIDTH, ""));

/** Terminal columns that a line of text takes, at most `limit`. The time taken depends on `limit`, not on the text. */
export const displayWidth = (text: string, limit: number): number =>
  text.length > limit * MAX_UNITS_PER_COLUMN ? limit : Math.min(limit, stringWidth(text));

/** Shortens a line of text to `columns`, with an ellipsis at the end. Never splits a user-perceived character. */
export function clip(text: string, columns: number): string {
  if (displayWidth(text, columns + 1) <= columns) return text;
  // Tests one character more than is kept, because the next character could be a combining mark.
  if (ONE_COLUMN_EACH.test(text.slice(0, columns))) return `${text.slice(0, columns - 1)}…`;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let kept = "";
  let left = columns - 1;
  for (const { segment } of segmenter.segment(text.slice(0, columns * MAX_UNITS_PER_COLUMN))) {
    left -= displayWidth(segment, columns);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Like `clip`, but keeps the end of the text. */
export function clipStart(text: string, columns: number): string {
  if (displayWidth(text, columns + 1) <= columns) return text;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  let left = columns - 1;
  const kept: string[] = [];
  for (const { segment } of [...segmenter.segment(text.slice(-columns * MAX_UNITS_PER_COLUMN))].reverse()) {
    left -= displayWidth(segment, columns);
    if (left < 0) break;
    kept.unshift(segment);
  }
  return `…${kept.join("")}`;
}
