import { type Slab, slabs } from "./batches.ts";
import { clip } from "./display-width.ts";
import { type Cell, draw } from "./draw.ts";
import { type DrawnColumn, drawnColumn, naturalWidth, saysSomething } from "./drawn-column.ts";
import { type Fit, fitWidths } from "./fit.ts";
import type { Look } from "./look.ts";
import { type Palette, palette } from "./paint.ts";
import type { Column } from "./view.ts";

const USUAL_TERMINAL = 80;
/** In a pipe no row is padded beyond this for the sake of another's long value. */
const WIDEST_IN_PIPE = 200;
/** Characters of a UUID: an identifier that is cut is of no use. */
const LEAST_FIRST = 36;
const LEAST_TEXT = 8;
export interface TableLook extends Look {
  readonly header: boolean;
  /** Someone asked for just these columns: none is left out for saying nothing. */
  readonly chosen: boolean;
  /** Records that are drawn together: the widths are those of the first so many. */
  readonly atOnce: number;
}

/**
 * A list as a table without borders: upper-case titles, two spaces between columns, `-` for what is absent. On a
 * terminal it fits the width and leaves out columns that say nothing; a last title `…` marks columns that had no room.
 * In a pipe it is whole. What comes later than the first records keeps to the widths of those, be it cut on a terminal.
 */
export async function* table(
  batches: AsyncIterable<readonly unknown[]>,
  columns: readonly Column[],
  look: TableLook,
): AsyncGenerator<string> {
  const paint = await palette(look.color);
  let layout: Layout | undefined;
  for await (const slab of slabs(batches, look.atOnce)) {
    if (slab.records.length === 0) return;
    const known: readonly Column[] = layout?.columns ?? columns;
    const drawn = known.map((column, index) => drawnColumn(slab.records, column, index === 0, look));
    const header = layout === undefined && look.header;
    layout ??= layoutOf(drawn, slab, look);
    const { fit, aligns } = layout;
    const kept = layout.columns.flatMap((column) => drawn.find((one) => one.column === column) ?? []);
    yield* draw(rows(kept, fit, { ...look, header, paint }), {
      widths: fit.cut ? [...fit.widths, 1] : fit.widths,
      aligns,
    });
  }
}

interface Layout {
  readonly columns: readonly Column[];
  readonly fit: Fit;
  readonly aligns: readonly DrawnColumn["align"][];
}

function layoutOf(drawn: readonly DrawnColumn[], { last }: Slab, look: TableLook): Layout {
  const all = !look.terminal || look.chosen || !last;
  const wanted = drawn.filter((column, index) => all || index === 0 || saysSomething(column));
  const fit = look.terminal ? fitted(wanted, look) : whole(wanted, look);
  const kept = wanted.slice(0, fit.widths.length);
  return { columns: kept.map(({ column }) => column), fit, aligns: kept.map(({ align }) => align) };
}

function whole(columns: readonly DrawnColumn[], { header }: TableLook): Fit {
  return { widths: columns.map((column) => naturalWidth(column, header, WIDEST_IN_PIPE)), cut: false };
}

function fitted(columns: readonly DrawnColumn[], { header, width: columnsOfTerminal }: TableLook): Fit {
  const room = columnsOfTerminal || USUAL_TERMINAL;
  const wanted = columns.map((column, index) => {
    const width = naturalWidth(column, header, room);
    // A number that is cut is another number.
    const least = column.align === "right" ? width : index === 0 ? LEAST_FIRST : LEAST_TEXT;
    return { width, least };
  });
  return fitWidths(wanted, room);
}

function* rows(
  columns: readonly DrawnColumn[],
  { widths, cut }: Fit,
  look: TableLook & { readonly paint: Palette },
): Generator<Cell[]> {
  const { title, state } = look.paint;
  const shown = (text: string, index: number) => (look.terminal ? clip(text, widths[index] ?? 1) : text);
  const titles = columns.map((column, index) => ({ text: shown(column.title, index), paint: title }));
  if (look.header) yield cut ? [...titles, { text: "…", paint: title }] : titles;
  const mark = cut ? [{ text: "" }] : [];
  for (let row = 0; row < (columns[0]?.texts.length ?? 0); row += 1) {
    const cells = columns.map(({ texts, isState }, index): Cell => {
      const text = texts[row] ?? "";
      return { text: shown(text, index), paint: isState ? state(text) : undefined };
    });
    yield [...cells, ...mark];
  }
}
