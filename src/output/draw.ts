import CliTable from "cli-table3";
import { displayWidth, isPlain } from "./display-width.ts";
import { GAP } from "./fit.ts";
import type { Paint } from "./paint.ts";

export interface Cell {
  /** One line. */
  readonly text: string;
  readonly paint?: Paint | undefined;
}

export interface Layout {
  /** Columns of each cell. A wider cell is drawn whole and pushes the rest of its line aside. */
  readonly widths: readonly number[];
  readonly aligns: readonly ("left" | "right")[];
}

/** cli-table3 takes time with the square of its rows. */
const ROWS_AT_ONCE = 50;

const noBorder = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid"].flatMap((side) => [
    [side, ""],
    [`${side}-mid`, ""],
    [`${side}-left`, ""],
    [`${side}-right`, ""],
  ]),
);

/** Rows as lines of text, several lines in a piece, each piece ending at a line end. */
export function* draw(rows: Iterable<readonly Cell[]>, layout: Layout): Generator<string> {
  let slab: (readonly Cell[])[] = [];
  for (const row of rows) {
    slab.push(row);
    if (slab.length < ROWS_AT_ONCE) continue;
    yield drawSlab(slab, layout);
    slab = [];
  }
  if (slab.length > 0) yield drawSlab(slab, layout);
}

// Two characters of private use, one column each: where a cell begins, and how far it goes.
const BEGIN = "\ue000";
const GO_ON = "\ue001";

/**
 * cli-table3 counts columns by an old edition of Unicode, cuts characters in half and takes time with the square of a
 * wide text: only plain text is left to it, anything else stands in as so many characters of one column.
 */
function drawSlab(slab: readonly (readonly Cell[])[], { widths, aligns }: Layout): string {
  const table = new CliTable({
    chars: { ...noBorder, middle: " ".repeat(GAP) },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colWidths: [...widths],
    colAligns: [...aligns],
  });
  const stoodIn: string[] = [];
  const standIn = ({ text, paint }: Cell, width: number): string => {
    if (paint === undefined && text.length <= width && isPlain(text)) return text;
    const columns = displayWidth(text, width);
    if (columns === 0) return "";
    stoodIn.push(paint === undefined ? text : paint(text));
    return BEGIN + GO_ON.repeat(columns - 1);
  };
  for (const row of slab) table.push(row.map((cell, index) => standIn(cell, widths[index] ?? 1)));
  const lines = table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
  let next = 0;
  return `${lines.replace(/\ue000\ue001*/g, () => stoodIn[next++] ?? "")}\n`;
}
