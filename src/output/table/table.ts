import { isRecord } from "../../core/json.ts";
import type { Column } from "../../core/view.ts";
import { clip, displayWidth } from "../display-width.ts";
import { ABSENT, type DrawOptions, formatted, isRightAligned } from "../formats.ts";
import { type Chunk, rechunk } from "../records.ts";
import { oneLine, plainText } from "../text.ts";
import { alignRows, type Cell, draw, GAP, tableRows } from "./draw.ts";
import { isStatePath, type Palette, palette } from "./paint.ts";

const DEFAULT_TERMINAL_WIDTH = 80;
/** In a pipe, cells are padded to at most this width, even if another value in their column is longer. */
const MAX_PIPE_WIDTH = 200;
/** The length of a UUID: a clipped identifier is useless. */
const MIN_FIRST_WIDTH = 36;
const MIN_TEXT_WIDTH = 8;

export interface TableOptions extends DrawOptions {
  readonly header: boolean;
  /** The user chose the columns: empty ones are shown, too. */
  readonly chosen: boolean;
  /** Records that are laid out together: the first chunk of this size determines the widths. */
  readonly chunkSize: number;
}

/**
 * A list as a table without borders: upper-case titles, two spaces between columns, `-` for absent values. On a
 * terminal it fits the width and omits empty columns; a last title `…` marks columns that did not fit. In a pipe nothing
 * is cut. Later chunks keep the widths of the first, and are clipped to them on a terminal.
 */
export async function* table(
  batches: AsyncIterable<readonly unknown[]>,
  columns: readonly Column[],
  options: TableOptions,
): AsyncGenerator<string> {
  const colors = await palette(options.color);
  const Table = options.terminal ? (await import("cli-table3")).default : undefined;
  let layout: TableLayout | undefined;
  for await (const chunk of rechunk(batches, options.chunkSize)) {
    if (chunk.records.length === 0) return;
    const known: readonly Column[] = layout?.columns ?? columns;
    const formattedColumns = known.map((column, index) =>
      formatColumn(chunk.records, column, index === 0, options),
    );
    const header = layout === undefined && options.header;
    layout ??= layoutOf(formattedColumns, chunk, options);
    const { widths, cut, aligns } = layout;
    const kept = layout.columns.flatMap(
      (column) => formattedColumns.find((candidate) => candidate.column === column) ?? [],
    );
    const cells = { widths: cut ? [...widths, 1] : widths, aligns };
    yield* draw(tableCells(kept, layout, { ...options, header, colors }), (rows) =>
      Table ? tableRows(Table, rows, cells) : alignRows(rows, cells),
    );
  }
}

/** Loads the libraries for tables, while the data is still being fetched. */
export async function prepareTable(terminal: boolean): Promise<void> {
  if (terminal) await Promise.all([import("cli-table3"), import("chalk")]);
}

/** A column and its text for each record. */
interface FormattedColumn {
  readonly column: Column;
  readonly title: string;
  readonly texts: readonly string[];
  readonly align: "left" | "right";
  readonly isState: boolean;
}

/** A record that is not an object, such as a string, is shown as it is in the first column. */
function formatColumn(
  records: readonly unknown[],
  column: Column,
  isFirst: boolean,
  options: DrawOptions,
): FormattedColumn {
  const texts = records.map((record) => {
    const text = isFirst && !isRecord(record) ? plainText(record) : formatted(record, column, options);
    return oneLine(text, options.terminal) || ABSENT;
  });
  return {
    column,
    title: oneLine(column.title.toUpperCase(), options.terminal),
    texts,
    align: isRightAligned(column, records) ? "right" : "left",
    isState: column.paths.some(isStatePath),
  };
}

/** Width of the longest text, and of the title if it is shown, up to a limit. */
function naturalWidth({ title, texts }: FormattedColumn, header: boolean, limit: number): number {
  return texts.reduce(
    (widest, text) => Math.max(widest, displayWidth(text, limit)),
    header ? displayWidth(title, limit) : 1,
  );
}

interface TableLayout extends Fit {
  readonly columns: readonly Column[];
  readonly aligns: readonly FormattedColumn["align"][];
}

function layoutOf(columns: readonly FormattedColumn[], { last }: Chunk, options: TableOptions): TableLayout {
  const { header, terminal, width } = options;
  const showEmpty = !terminal || options.chosen || !last;
  const shown = columns.filter(
    ({ texts }, index) => showEmpty || index === 0 || texts.some((text) => text !== ABSENT),
  );
  const available = terminal ? width || DEFAULT_TERMINAL_WIDTH : Number.POSITIVE_INFINITY;
  const limit = terminal ? available : MAX_PIPE_WIDTH;
  const wanted = shown.map((column, index) => {
    const natural = naturalWidth(column, header, limit);
    // A clipped number would read as another number.
    const min = column.align === "right" ? natural : index === 0 ? MIN_FIRST_WIDTH : MIN_TEXT_WIDTH;
    return { natural, min: Math.min(natural, min) };
  });
  const fit = fitWidths(wanted, available);
  const kept = shown.slice(0, fit.widths.length);
  return { ...fit, columns: kept.map(({ column }) => column), aligns: kept.map(({ align }) => align) };
}

/** Widths of the columns that are kept, from the left. */
interface Fit {
  readonly widths: readonly number[];
  /** Columns were left out; there is room for a mark one character wide. */
  readonly cut: boolean;
}

/**
 * Fits columns into the available width: first the widest shrink, down to their minimum, then columns are left out from
 * the right. The first column always stays.
 */
function fitWidths(
  wanted: readonly { readonly natural: number; readonly min: number }[],
  available: number,
): Fit {
  let kept = wanted.length;
  const room = () => (kept < wanted.length ? available - GAP - 1 : available);
  const min = wanted.map((column) => column.min);
  while (kept > 1 && rowWidth(min.slice(0, kept)) > room()) kept -= 1;
  const widths = wanted.slice(0, kept).map(({ natural }) => natural);
  for (let excess = rowWidth(widths) - room(); excess > 0; excess -= 1) {
    const widest = widths.reduce((best, width, index) => {
      const shrinks = width > (min[index] ?? width);
      return shrinks && width > (widths[best] ?? 0) ? index : best;
    }, -1);
    if (widest < 0) return { widths: [Math.max(1, room())], cut: kept < wanted.length };
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return { widths, cut: kept < wanted.length };
}

const rowWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width + GAP, -GAP);

function* tableCells(
  columns: readonly FormattedColumn[],
  { widths, cut }: Fit,
  options: TableOptions & { readonly colors: Palette },
): Generator<Cell[]> {
  const { title, state } = options.colors;
  const shown = (text: string, index: number) => (options.terminal ? clip(text, widths[index] ?? 1) : text);
  const titles = columns.map((column, index) => ({ text: shown(column.title, index), paint: title }));
  if (options.header) yield cut ? [...titles, { text: "…", paint: title }] : titles;
  const mark = cut ? [{ text: "" }] : [];
  for (let row = 0; row < (columns[0]?.texts.length ?? 0); row += 1) {
    const cells = columns.map(({ texts, isState }, index): Cell => {
      const text = texts[row] ?? "";
      return { text: shown(text, index), paint: isState ? state(text) : undefined };
    });
    yield [...cells, ...mark];
  }
}
