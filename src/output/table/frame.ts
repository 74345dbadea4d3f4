import { displayWidth } from "../display-width.ts";
import { sanitize } from "../text.ts";

/** Size of a terminal; 0 rows if its height is not known. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const HOME = "\u001b[H";
const CLEAR_BELOW = "\u001b[J";
/** Lines are measured up to this width. */
const MAX_WIDTH = 10_000;

/** Terminal rows that lines take. A line that wraps takes several. */
const height = (lines: readonly string[], columns: number): number =>
  lines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(sanitize(line), MAX_WIDTH) / columns)),
    0,
  );

/**
 * Fits a list and a footer into a terminal, and leaves one row for the cursor. The first line of the list is its
 * header. List lines that do not fit are replaced with a count.
 */
export function fitFrame(
  list: readonly string[],
  footer: readonly string[],
  { columns, rows }: Size,
): readonly string[] {
  const room = rows > 0 ? rows - 1 : Number.POSITIVE_INFINITY;
  if (height([...list, ...footer], columns) <= room) return [...list, ...footer];
  for (let kept = list.length - 1; kept > 1; kept -= 1) {
    const lines = [...list.slice(0, kept), `… and ${list.length - kept} more`, ...footer];
    if (height(lines, columns) <= room) return lines;
  }
  return [`${list.length - 1} in the list: the window is too small to show them`, ...footer];
}

/** The text that replaces the whole screen with these lines. */
export const screenOf = (lines: readonly string[]): string =>
  `${HOME}${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join("")}`;
