import { nameOf, plainColumns } from "./columns.ts";
import { plain } from "./formats.ts";
import { isRecord } from "./paths.ts";
import { plainText } from "./plain-text.ts";
import { sanitize } from "./sanitize.ts";
import type { Column, View } from "./view.ts";

/** Rows of texts as lines, each with its end. */
export type Writer = (rows: readonly (readonly string[])[]) => string;

interface Options {
  readonly header: boolean;
  readonly terminal: boolean;
}

/**
 * Records as rows of plain values under the machine names of their columns; what is absent is empty. A list of nothing
 * is its header. Without columns of the view's own they are the values inside the records that come first.
 */
export async function* separated(
  batches: AsyncIterable<readonly unknown[]>,
  view: View,
  write: Writer,
  { header, terminal }: Options,
): AsyncGenerator<string> {
  const shown = terminal ? sanitize : (text: string) => text;
  let columns: readonly Column[] | undefined;
  for await (const records of batches) {
    if (columns === undefined) {
      columns = plainColumns(view, records);
      if (header && columns.length > 0) yield write([columns.map((column) => shown(nameOf(column)))]);
    }
    const known = columns;
    const rows = records.map((record) => known.map((column, index) => shown(cell(record, column, index))));
    if (rows.length > 0 && known.length > 0) yield write(rows);
  }
}

/** A record without fields can only be shown as it is. */
const cell = (record: unknown, column: Column, index: number): string =>
  index === 0 && !isRecord(record) ? plainText(record) : plain(record, column);
