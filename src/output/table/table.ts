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
/** The length of a UUID. A clipped ID would be useless. */
const MIN_WHOLE_WIDTH = 36;
const MIN_TEXT_WIDTH = 12;

export interface TableOptions extends DrawOptions {
  readonly header: boolean;
  /** Whether the user chose the columns. If so, empty columns are shown, too. */
  readonly chosen: boolean;
  /** Called when columns do not fit the terminal. */
  readonly onLeftOut?: ((columns: readonly Column[]) => void) | undefined;
  /** Number of records that are laid out together. The first chunk of this size determines the widths. */
  readonly chunkSize: number;
}

/**
 * Draws a list as a table without borders: upper-case titles, two spaces between columns, `-` for absent values. On a
 * terminal, the table fits the width: long texts are shortened, and the least important columns are left out. Empty
 * columns are left out, too, if all records are in one chunk and the user did not choose the columns. In a pipe,
 * nothing is cut. Later chunks keep the widths of the first chunk, and on a terminal, their texts are clipped to these
 * widths.
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
    const { widths, aligns } = layout;
    const kept = layout.columns.flatMap(
      (column) => formattedColumns.find((candidate) => candidate.column === column) ?? [],
    );
    yield* draw(tableCells(kept, widths, { ...options, header, colors }), (rows) =>
      Table ? tableRows(Table, rows, { widths, aligns }) : alignRows(rows, { widths, aligns }),
    );
  }
}

/** Loads the libraries that tables on a terminal need. To save time, call this while the data is being fetched. */
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

/** Formats a column for all records. A record that is not an object, such as a string, is shown in the first column. */
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

interface TableLayout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
  readonly aligns: readonly FormattedColumn["align"][];
}

function layoutOf(columns: readonly FormattedColumn[], { last }: Chunk, options: TableOptions): TableLayout {
  const { header, terminal, width, chosen, onLeftOut } = options;
  const showEmpty = !terminal || chosen || !last;
  const shown = columns.filter(
    ({ texts }, index) => showEmpty || index === 0 || texts.some((text) => text !== ABSENT),
  );
  const available = terminal ? width || DEFAULT_TERMINAL_WIDTH : Number.POSITIVE_INFINITY;
  const limit = terminal ? available : MAX_PIPE_WIDTH;
  const candidates = shown.map((formatted, index): Candidate => {
    const natural = naturalWidth(formatted, header, limit);
    return {
      formatted,
      natural,
      min: Math.min(natural, index === 0 ? MIN_WHOLE_WIDTH : minWidth(formatted)),
      // If the user chose the columns, the first ones are the most important.
      priority: chosen
        ? 0
        : saysLittle(formatted, shown[0])
          ? Number.POSITIVE_INFINITY
          : priorityOf(formatted),
    };
  });
  const fitting = fittingColumns(candidates, available);
  const leftOut = candidates.filter((candidate) => !fitting.includes(candidate));
  if (leftOut.length > 0) onLeftOut?.(leftOut.map(({ formatted }) => formatted.column));
  return {
    columns: fitting.map(({ formatted }) => formatted.column),
    widths: fittedWidths(fitting, available),
    aligns: fitting.map(({ formatted }) => formatted.align),
  };
}

/** A column that may be shown. */
interface Candidate {
  readonly formatted: FormattedColumn;
  readonly natural: number;
  readonly min: number;
  readonly priority: number;
}

/** The minimum width of a column. A shortened number or time would look like a different one. */
function minWidth({ column: { format, whole }, align }: FormattedColumn): number {
  if (align === "right" || format === "time") return Number.POSITIVE_INFINITY;
  return whole ? MIN_WHOLE_WIDTH : MIN_TEXT_WIDTH;
}

const priorityOf = ({ column: { priority = 0 } }: FormattedColumn): number => priority;

/**
 * Whether each text of a column is absent, is the usual text of the column, or repeats the identifier in the first
 * column, alone or after a prefix: `vm-1001` repeats `1001`.
 */
function saysLittle(formatted: FormattedColumn, first: FormattedColumn | undefined): boolean {
  if (formatted === first) return false;
  return formatted.texts.every((text, row) => {
    const id = first?.texts[row] ?? "";
    return text === ABSENT || text === formatted.column.usual || text === id || text.endsWith(`-${id}`);
  });
}

/** The columns that fit if they have their minimum widths: the first column, and the most important of the others. */
function fittingColumns(candidates: readonly Candidate[], available: number): readonly Candidate[] {
  const [first, ...others] = candidates;
  if (first === undefined) return [];
  const kept = new Set([first]);
  let used = first.min;
  for (const candidate of others.toSorted((one, other) => compare(one.priority, other.priority))) {
    if (used + GAP + candidate.min > available) continue;
    used += GAP + candidate.min;
    kept.add(candidate);
  }
  return candidates.filter((candidate) => kept.has(candidate));
}

/** Compares numbers, including infinity. */
const compare = (one: number, other: number): number => (one === other ? 0 : one < other ? -1 : 1);

/**
 * The natural widths, if they fit. Otherwise, the widest columns are made narrower first, down to their minimum. A
 * single column that still does not fit gets the available width.
 */
function fittedWidths(columns: readonly Candidate[], available: number): readonly number[] {
  const widths = columns.map(({ natural }) => natural);
  const total = widths.reduce((sum, width) => sum + width + GAP, -GAP);
  for (let excess = total - available; excess > 0; excess -= 1) {
    const widest = widths.reduce((best, width, index) => {
      const shrinks = width > (columns[index]?.min ?? width);
      return shrinks && width > (widths[best] ?? 0) ? index : best;
    }, -1);
    if (widest < 0) return [Math.max(1, available)];
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function* tableCells(
  columns: readonly FormattedColumn[],
  widths: readonly number[],
  options: TableOptions & { readonly colors: Palette },
): Generator<Cell[]> {
  const { title, state } = options.colors;
  const shown = (text: string, index: number) => (options.terminal ? clip(text, widths[index] ?? 1) : text);
  if (options.header) {
    yield columns.map((column, index) => ({ text: shown(column.title, index), paint: title }));
  }
  for (let row = 0; row < (columns[0]?.texts.length ?? 0); row += 1) {
    yield columns.map(({ texts, isState }, index): Cell => {
      const text = texts[row] ?? "";
      return { text: shown(text, index), paint: isState ? state(text) : undefined };
    });
  }
}
