import type CliTable from "cli-table3";
import { displayWidth } from "../display-width.ts";
import type { Paint } from "./paint.ts";

export interface Cell {
  /** One line. */
  readonly text: string;
  readonly paint?: Paint | undefined;
}

export interface Layout {
  /** The width of each cell of a row, in terminal columns. */
  readonly widths: readonly number[];
  readonly aligns: readonly ("left" | "right")[];
}

/** Number of spaces between two columns of a table. */
export const GAP = 2;
const ROWS_PER_PIECE = 50;

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

/** Pads the cells of rows to the widths. A wider cell is drawn as a whole and shifts the rest of its line. */
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
 * How many rows of the table are passed to cli-table3 as one row with several lines. The library handles a line faster
 * than a cell, but the time for each line grows with the number of lines.
 */
const ROWS_PER_TABLE = 7;

/**
 * Draws rows with cli-table3. The cells must fit the widths, because the library would cut a longer cell in the middle
 * of a character.
 */
export function tableRows(
  Table: typeof CliTable,
  rows: readonly (readonly Cell[])[],
  { widths, aligns }: Layout,
): readonly string[] {
  const options = {
    chars: { ...noBorder, middle: " ".repeat(GAP) },
    style: { "padding-left": 0, "padding-right": 0, head: [], border: [], compact: true },
    colWidths: [...widths],
    colAligns: [...aligns],
    // For its debug log, the library also truncates each cell to ten columns, and ends it with this mark. A mark of
    // ten columns saves time, because it leaves no text to measure.
    truncate: "…".repeat(10),
  };
  const line = ({ text, paint }: Cell) => (paint === undefined ? text : paint(text));
  const lines: string[] = [];
  for (let start = 0; start < rows.length; start += ROWS_PER_TABLE) {
    const some = rows.slice(start, start + ROWS_PER_TABLE);
    const table = new Table(options);
    table.push(widths.map((_, index) => some.map((row) => line(row[index] ?? { text: "" })).join("\n")));
    lines.push(...table.toString().split("\n"));
  }
  return lines;
}
