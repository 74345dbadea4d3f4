import { isRecord, shownAt } from "../core/json.ts";
import type { Records } from "../core/result.ts";
import type { Column, DocumentView, OutputFormat, View } from "../core/view.ts";
import type { DrawOptions } from "./formats.ts";
import { json, jsonArray, jsonl } from "./json.ts";
import { recordsOf, singleBatch, type Value, wholeOf } from "./records.ts";
import { oneLine, plainText } from "./text.ts";

/** Loads the modules that draw a view. To save time, call this while the data is being fetched. */
export async function prepareTables({ kind }: View, terminal: boolean): Promise<void> {
  if (kind === "list") await (await import("./table/table.ts")).prepareTable(terminal);
  if (kind === "record") await import("./table/record.ts");
}

/**
 * The number of streamed records that a table lays out at a time. The first chunk of this size determines the widths of
 * the columns.
 */
const STREAMED_CHUNK = 1_000;
const LINES_PER_PIECE = 50;

export interface RenderOptions extends DrawOptions {
  readonly format: OutputFormat;
  /** Whether the titles of columns are shown. */
  readonly header: boolean;
  /** Columns that replace the view's own. */
  readonly columns?: readonly Column[] | undefined;
  /** Called when columns of a table do not fit the terminal. */
  readonly onLeftOut?: ((columns: readonly Column[]) => void) | undefined;
  /** Called with records before they are rendered, but not if they are rendered as JSON, JSON Lines or YAML. */
  readonly observe?: (records: readonly unknown[]) => void;
}

/**
 * Renders a value for stdout in pieces. The last piece ends with a newline. For an empty list, JSON is `[]`, and a
 * table is empty. Streamed records are rendered as they arrive. Data that does not fit the view never causes an error.
 */
export async function* render(
  value: Value | Records,
  view: View,
  options: RenderOptions,
): AsyncGenerator<string> {
  const { format } = options;
  if (format === "yaml") {
    const { yaml, yamlSequence } = await import("./yaml.ts");
    if ("records" in value) yield* yamlSequence(value.records);
    else yield yaml(wholeOf(value, view));
  } else if (format === "jsonl") {
    yield* jsonl(value, view);
  } else if (format === "json" || view.kind === "document") {
    if ("records" in value) yield* jsonArray(value.records);
    else yield json(wholeOf(value, view));
  } else {
    const [batches, chunkSize] =
      "records" in value
        ? [value.rows ?? value.records, STREAMED_CHUNK]
        : [singleBatch(recordsOf(value, view)), Number.POSITIVE_INFINITY];
    const shown = options.columns ? withColumns(view, options.columns) : view;
    yield* renderRecords(observed(batches, options), shown, { ...options, chunkSize });
  }
}

async function* observed(
  batches: AsyncIterable<readonly unknown[]>,
  { observe }: Pick<RenderOptions, "observe">,
): AsyncGenerator<readonly unknown[]> {
  for await (const records of batches) {
    observe?.(records);
    yield records;
  }
}

/** A view of records. */
type RecordsView = Exclude<View, DocumentView>;

function withColumns(view: RecordsView, columns: readonly Column[]): RecordsView {
  return view.kind === "list" ? { ...view, columns } : { kind: "record", columns, id: [] };
}

async function* renderRecords(
  batches: AsyncIterable<readonly unknown[]>,
  view: RecordsView,
  options: RenderOptions & { readonly chunkSize: number },
): AsyncGenerator<string> {
  const { format, terminal } = options;
  if (format === "csv" || format === "tsv") {
    const { delimited, csv, tsv } = await import("./delimited.ts");
    yield* delimited(batches, view, format === "csv" ? csv : tsv, options);
  } else if (format === "id" || view.kind === "lines") {
    for await (const records of batches) yield* lines(records, view, terminal);
  } else if (view.kind === "list") {
    const { table } = await import("./table/table.ts");
    yield* table(batches, view.columns, { ...options, chosen: options.columns !== undefined });
  } else {
    const { record } = await import("./table/record.ts");
    yield* record(batches, view, options);
  }
}

/**
 * Writes one line for each record: its ID, or the value that a lines view shows. Skips records without this value. A
 * record that is a scalar is written as it is.
 */
function* lines(records: readonly unknown[], view: RecordsView, terminal: boolean): Generator<string> {
  const paths = view.kind === "lines" ? [view.path] : view.id;
  for (let start = 0; start < records.length; start += LINES_PER_PIECE) {
    const piece = records
      .slice(start, start + LINES_PER_PIECE)
      .map((record) => oneLine(plainText(isRecord(record) ? shownAt(record, paths) : record), terminal))
      .filter((line) => line !== "")
      .map((line) => `${line}\n`)
      .join("");
    if (piece !== "") yield piece;
  }
}
