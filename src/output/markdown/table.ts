import type { Tokens } from "marked";
import { type Styles, spansOf } from "./inline.ts";
import { type Line, type Span, widthOf, wrapped } from "./wrap.ts";

const gap = 2;
/** The narrowest readable column. */
const minColumn = 6;

/**
 * Draws a table that fits the width. Long cells are wrapped. A table with too many columns becomes a list of its rows.
 */
export function tableLines(
  { header, rows, align }: Tokens.Table,
  width: number,
  styles: Styles,
): readonly Line[] {
  const cells = (row: readonly Tokens.TableCell[], paint?: Styles["strong"]) =>
    row.map(({ tokens }) => spansOf(tokens, styles, paint));
  const head = cells(header, styles.strong);
  const body = rows.map((row) => cells(row));
  const columns = fitted(
    head.map((_, at) => largest([head, ...body].map((row) => naturalWidth(row[at] ?? [])))),
    width - gap * (head.length - 1),
  );
  if (columns === undefined) return recordLines(head, body, width, styles);
  const rule: Line = columns.flatMap((columnWidth, at) => [
    ...(at > 0 ? [{ text: " ".repeat(gap) }] : []),
    { text: "─".repeat(columnWidth), paint: styles.dim },
  ]);
  const drawRow = (row: readonly (readonly Span[])[]) => rowLines(row, columns, align);
  return [...drawRow(head), rule, ...body.flatMap(drawRow)];
}

/** The width of the widest line of a cell. */
const naturalWidth = (cell: readonly Span[]): number =>
  largest(wrapped(cell, Number.POSITIVE_INFINITY).map(widthOf));

/** The largest of the numbers, or 1 if all are smaller. Works for more numbers than `Math.max` can take. */
const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 1);

/**
 * Makes the widest column narrower until the table fits. Undefined if the table is too wide and has too many columns to
 * give each of them `minColumn`.
 */
function fitted(natural: readonly number[], width: number): readonly number[] | undefined {
  if (natural.length * minColumn > width && sum(natural) > width) return undefined;
  const widths = [...natural];
  while (sum(widths) > width) {
    const widest = Math.max(...widths);
    widths[widths.indexOf(widest)] = widest - 1;
  }
  return widths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function rowLines(
  row: readonly (readonly Span[])[],
  columns: readonly number[],
  align: Tokens.Table["align"],
): readonly Line[] {
  const cells = columns.map((width, at) => wrapped(row[at] ?? [], width, { divides: true }));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, y) =>
    columns.flatMap((width, at): Line => {
      const line = cells[at]?.[y] ?? [];
      const blank = width - widthOf(line);
      const left = align[at] === "right" ? blank : align[at] === "center" ? Math.floor(blank / 2) : 0;
      const isLast = at === columns.length - 1;
      return [
        { text: " ".repeat((at > 0 ? gap : 0) + left) },
        ...line,
        ...(isLast ? [] : [{ text: " ".repeat(blank - left) }]),
      ];
    }),
  );
}

/** Draws each row as lines of `title: value`. */
function recordLines(
  head: readonly (readonly Span[])[],
  body: readonly (readonly (readonly Span[])[])[],
  width: number,
  { dim }: Styles,
): readonly Line[] {
  return body.flatMap((row, at) => [
    ...(at > 0 ? [[{ text: "─".repeat(Math.min(width, 20)), paint: dim }]] : []),
    ...row.flatMap((cell, column) => wrapped([...(head[column] ?? []), { text: ": " }, ...cell], width)),
  ]);
}
