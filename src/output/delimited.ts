import { stringify } from "csv-stringify/sync";
import { isRecord } from "../core/json.ts";
import { type Column, nameOf, type View } from "../core/view.ts";
import { plain } from "./formats.ts";
import { columnsOf, everyColumn } from "./table/columns.ts";
import { plainText, sanitize } from "./text.ts";

/** Formats rows of texts as lines, each with its line end. */
export type RowWriter = (rows: readonly (readonly string[])[]) => string;

/** RFC 4180, with CRLF. A row of one empty value is quoted, because an empty line is not a row. */
export const csv: RowWriter = (rows) =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: "\r\n", quote_record_delimiter: true, quoted_empty: rows[0]?.length === 1 },
  );

const tsvEscapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" };

const escapeTsv = (text: string): string => text.replace(/[\t\n\r\\]/g, (one) => tsvEscapes[one] ?? one);

/** Tab-separated values, escaped as by jq's `@tsv`. */
export const tsv: RowWriter = (rows) => rows.map((row) => `${row.map(escapeTsv).join("\t")}\n`).join("");

/** What a spreadsheet takes for a formula, with the apostrophes that may already be in front of it. */
const formula = /^'*[=+\-@\t\r]/;
const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * A cell that a spreadsheet does not run as a formula: such a text gets an apostrophe in front. Numbers stay numbers.
 * Without one apostrophe, a cell that matches `^'+[=+\-@\t\r]` is the text as it was.
 */
const inertCell = (text: string): string => (formula.test(text) && !number.test(text) ? `'${text}` : text);

/**
 * Records as rows of unformatted values below a header of column names; absent values are empty. An empty list is only
 * the header. If the view declares no columns, there is one for each path inside the first batch.
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

/** A record without fields is shown whole in the first column. */
const cell = (record: unknown, column: Column, index: number): string =>
  index === 0 && !isRecord(record) ? plainText(record) : plain(record, column);
