import { clip } from "./display-width.ts";
import { type Cell, draw } from "./draw.ts";
import { type DrawnColumn, drawnColumns, naturalWidth } from "./drawn-column.ts";
import { type Fit, fitWidths } from "./fit.ts";
import type { Look } from "./look.ts";
import { palette } from "./paint.ts";
import type { Column } from "./view.ts";

const USUAL_TERMINAL = 80;
/** In a pipe no row is padded beyond this for the sake of another's long value. */
const WIDEST_IN_PIPE = 200;
/** Characters of a UUID: an identifier that is cut is of no use. */
const LEAST_FIRST = 36;
const LEAST_TEXT = 8;

/**
 * A list as a table without borders: upper-case titles, two spaces between columns, `-` for what is absent. On a
 * terminal it fits the width and leaves out columns that say nothing; a last title `…` marks columns that had no room.
 * In a pipe it is whole.
 */
export function* table(
  records: readonly unknown[],
  columns: readonly Column[],
  look: Look,
): Generator<string> {
  const drawn = drawnColumns(records, columns, look);
  if (drawn.length === 0 || records.length === 0) return;
  const { widths, cut } = look.terminal ? fitted(drawn, look.width || USUAL_TERMINAL) : whole(drawn);
  const kept = drawn.slice(0, widths.length);
  yield* draw(rows(kept, { widths, cut }, look), {
    widths: cut ? [...widths, 1] : widths,
    aligns: kept.map(({ align }) => align),
  });
}

function whole(columns: readonly DrawnColumn[]): Fit {
  return { widths: columns.map((column) => naturalWidth(column, WIDEST_IN_PIPE)), cut: false };
}

function fitted(columns: readonly DrawnColumn[], room: number): Fit {
  const wanted = columns.map((column, index) => {
    const width = naturalWidth(column, room);
    // A number that is cut is another number.
    const least = column.align === "right" ? width : index === 0 ? LEAST_FIRST : LEAST_TEXT;
    return { width, least };
  });
  return fitWidths(wanted, room);
}

function* rows(columns: readonly DrawnColumn[], { widths, cut }: Fit, look: Look): Generator<Cell[]> {
  const { title, state } = palette(look.color);
  const shown = (text: string, index: number) => (look.terminal ? clip(text, widths[index] ?? 1) : text);
  const titles = columns.map((column, index) => ({ text: shown(column.title, index), paint: title }));
  yield cut ? [...titles, { text: "…", paint: title }] : titles;
  const mark = cut ? [{ text: "" }] : [];
  for (let row = 0; row < (columns[0]?.texts.length ?? 0); row += 1) {
    const cells = columns.map(({ texts, isState }, index): Cell => {
      const text = texts[row] ?? "";
      return { text: shown(text, index), paint: isState ? state(text) : undefined };
    });
    yield [...cells, ...mark];
  }
}
