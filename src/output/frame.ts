import { displayWidth } from "./display-width.ts";
import { sanitize } from "./sanitize.ts";

/** Columns and rows of a terminal; 0 rows when its height is not known. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const UP = (lines: number): string => (lines > 0 ? `\u001b[${lines}A\r` : "");
const CLEAR_BELOW = "\u001b[J";
/** No line is so long that it needs to be measured further. */
const LONGEST = 10_000;

/** Rows of a terminal that lines take, those among them that are broken at its edge. */
const height = (lines: readonly string[], columns: number): number =>
  lines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(sanitize(line), LONGEST) / columns)),
    0,
  );

/**
 * A list with its title line, and what stands under it, as lines that fit a terminal with a row to spare for the
 * cursor. What has no room of the list is counted in a line of its own.
 */
export function fitFrame(
  list: readonly string[],
  under: readonly string[],
  { columns, rows }: Size,
): readonly string[] {
  const room = rows > 0 ? rows - 1 : Number.POSITIVE_INFINITY;
  if (height([...list, ...under], columns) <= room) return [...list, ...under];
  for (let kept = list.length - 1; kept > 1; kept -= 1) {
    const lines = [...list.slice(0, kept), `… and ${list.length - kept} more`, ...under];
    if (height(lines, columns) <= room) return lines;
  }
  return [`${list.length - 1} in the list: the window is too small to show them`, ...under];
}

/** The text that puts lines in the place of those that were drawn last. */
export const redraw = (before: readonly string[], lines: readonly string[], columns: number): string =>
  `${UP(height(before, columns))}${CLEAR_BELOW}${lines.map((line) => `${line}\n`).join("")}`;
