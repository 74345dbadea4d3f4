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

/** cli-table3 takes time with the square of the lines of a cell. */
const ROWS_AT_ONCE = 10;

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
 * A slab is one row of cli-table3's, with a line for each of ours: it takes far longer over a cell than over a line. It
 * counts columns by an old edition of Unicode, and cuts characters in half: only plain text is left to it, anything else
 * stands in as so many characters of one column.
 */
function drawSlab(slab: readonly (readonly Cell[])[], { widths, aligns }: Layout): string {
  const table = new CliTable({
    chars: { ...noBorder, middle: " ".repeat(GAP) },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colWidths: [...widths],
    colAligns: [...aligns],
    truncate: NOTHING_TO_LOG,
  });
  const stoodIn: string[] = [];
  const standIn = ({ text, paint }: Cell, width: number): string => {
    if (paint === undefined && text.length <= width && isPlain(text)) return text;
    const columns = displayWidth(text, width);
    if (columns === 0) return "";
    stoodIn.push(paint === undefined ? text : paint(text));
    return BEGIN + GO_ON.repeat(columns - 1);
  };
  const plain = slab.map((row) => row.map((cell, index) => standIn(cell, widths[index] ?? 1)));
  table.push(widths.map((_, index) => plain.map((row) => row[index] ?? "").join("\n")));
  const lines = table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
  let next = 0;
  return `${lines.replace(/\ue000\ue001*/g, () => stoodIn[next++] ?? "")}\n`;
}

/** For a log that nobody reads, it cuts the text of a cell to ten columns at every line: this mark leaves none of it. */
const NOTHING_TO_LOG = "…".repeat(10);
