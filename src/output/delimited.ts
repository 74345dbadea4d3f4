import { stringify } from "csv-stringify/sync";
import { isRecord } from "../core/json.ts";
import { type Column, nameOf, type View } from "../core/view.ts";
import { plain } from "./formats.ts";
import { columnsOf, everyColumn } from "./table/columns.ts";
import { plainText, sanitize } from "./text.ts";

/** Formats rows of texts as lines, each with its line end. */
export type RowWriter = (rows: readonly (readonly string[])[]) => string;

/**
 * CSV as in RFC 4180, with CRLF. If there is only one column, empty values are quoted, because readers do not treat an
 * empty line as a row.
 */
export const csv: RowWriter = (rows) =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: "\r\n", quote_record_delimiter: true, quoted_empty: rows[0]?.length === 1 },
  );

const tsvEscapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };

const escapeTsv = (text: string): string => text.replace(/[\t\n\r\\]/g, (one) => tsvEscapes[one] ?? one);

/** Tab-separated values, escaped as by jq's `@tsv`. */
export const tsv: RowWriter = (rows) => rows.map((row) => `${row.map(escapeTsv).join("\t")}\n`).join("");

/** Matches the start of a text that a spreadsheet treats as a formula, and any apostrophes before it. */
const formula = /^'*[=+\-@\t\r]/;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Puts an apostrophe before a text that a spreadsheet would run as a formula. Numbers are not changed. To restore the
 * original text, remove one apostrophe from each cell that matches `^'+[=+\-@\t\r]`.
 */
const inertCell = (text: string): string => (formula.test(text) && !number.test(text) ? `'${text}` : text);

/**
 * Writes records as rows of unformatted values. If `header` is set, a row of column names comes first. Absent values
 * are empty. If the view declares no columns, there is one column for each path in the records of the first batch. For
 * an empty list, at most the header is written, and only if the view declares columns.
 */
export async function* delimited(
  batches: AsyncIterable<readonly unknown[]>,
  view: View,
  write: RowWriter,
  { header, terminal }: { readonly header: boolean; readonly terminal: boolean },
): AsyncGenerator<string> {
  const shown = (text: string) => inertCell(terminal ? sanitize(text) : text);
  let columns: readonly Column[] | undefined;
  for await (const records of batches) {
    if (columns === undefined) {
      const declared = columnsOf(view);
      columns = declared.length > 0 ? declared : everyColumn(records);
      if (header && columns.length > 0) yield write([columns.map((column) => shown(nameOf(column)))]);
    }
    const known = columns;
    const rows = records.map((record) => known.map((column, index) => shown(cell(record, column, index))));
    if (rows.length > 0 && known.length > 0) yield write(rows);
  }
}

/** A record that is not an object is shown as a whole in the first column. */
const cell = (record: unknown, column: Column, index: number): string =>
  index === 0 && !isRecord(record) ? plainText(record) : plain(record, column);
