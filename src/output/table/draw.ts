import type CliTable from "cli-table3";
import { displayWidth } from "../display-width.ts";
import type { Paint } from "./paint.ts";

export interface Cell {
  /** One line. */
  readonly text: string;
  readonly paint?: Paint | undefined;
}

export interface Layout {
  /** Display columns of each cell. */
  readonly widths: readonly number[];
  readonly aligns: readonly ("left" | "right")[];
}

/** Number of spaces between two columns of a table. */
export const GAP = 2;
const ROWS_PER_PIECE = 10;

/** Draws rows as lines of text, several lines in a piece, each piece ending with a newline. */
export function* draw(
  rows: Iterable<readonly Cell[]>,
  drawRows: (rows: readonly (readonly Cell[])[]) => readonly string[],
): Generator<string> {
  let pending: (readonly Cell[])[] = [];
  const flush = () => {
    const lines = drawRows(pending);
    pending = [];
    return lines.map((line) => `${line.trimEnd()}\n`).join("");
  };
  for (const row of rows) {
    if (pending.push(row) === ROWS_PER_PIECE) yield flush();
  }
  if (pending.length > 0) yield flush();
}

/** Rows with their cells padded to the widths. A wider cell is drawn whole and shifts the rest of its line. */
export const alignRows = (rows: readonly (readonly Cell[])[], layout: Layout): readonly string[] =>
  rows.map((row) => row.map((cell, index) => pad(cell, index, layout)).join(" ".repeat(GAP)));

function pad({ text, paint }: Cell, index: number, { widths, aligns }: Layout): string {
  const width = widths[index] ?? 0;
  const blank = " ".repeat(width - displayWidth(text, width));
  const painted = paint === undefined ? text : paint(text);
  return aligns[index] === "right" ? blank + painted : painted + blank;
}

const noBorder = Object.fromEntries(
  ["top", "bottom", "left", "right", "mid"].flatMap((side) => [
    [side, ""],
    [`${side}-mid`, ""],
    [`${side}-left`, ""],
    [`${side}-right`, ""],
  ]),
);

/**
 * Draws rows with cli-table3. Cells must fit the widths: the library cuts a longer one in the middle of a character. All
 * rows are passed as the lines of one row, because the library takes far more time for a cell than for a line in it.
 */
export function tableRows(
  Table: typeof CliTable,
  rows: readonly (readonly Cell[])[],
  { widths, aligns }: Layout,
): readonly string[] {
  const table = new Table({
    chars: { ...noBorder, middle: " ".repeat(GAP) },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colWidths: [...widths],
    colAligns: [...aligns],
    // For its debug log, the library also truncates each cell to ten columns. A mark of that width leaves it no work.
    truncate: "…".repeat(10),
  });
  const line = ({ text, paint }: Cell) => (paint === undefined ? text : paint(text));
  table.push(widths.map((_, index) => rows.map((row) => line(row[index] ?? { text: "" })).join("\n")));
  return table.toString().split("\n");
}
