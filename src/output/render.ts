import type { Records } from "./answer.ts";
import { allAtOnce } from "./batches.ts";
import { json, jsonArray } from "./json.ts";
import { lines } from "./lines.ts";
import type { Look } from "./look.ts";
import { recordsOf, type Value, wholeOf } from "./records.ts";
import type { Column, DocumentView, OutputFormat, View } from "./view.ts";

/** Loads what draws tables of a view, ahead of the data. */
export async function prepareTables({ kind }: View): Promise<void> {
  if (kind === "list") await import("./table.ts");
  if (kind === "record") await import("./record.ts");
}

/** Records of a list without a known end that a table is drawn from at a time. */
const RECORDS_AT_ONCE = 250;

/** `terminal`: stdout is one; `width`: its columns; `now`: milliseconds since 1970. */
export interface RenderOptions extends Look {
  readonly format: OutputFormat;
  /** Titles above columns. */
  readonly header: boolean;
  /** Columns that are shown in the place of the view's own. */
  readonly columns?: readonly Column[] | undefined;
  /** Told of the records that a table, csv or tsv shows, before they are shown. */
  readonly observe?: (records: readonly unknown[]) => void;
}

/**
 * A value as the text for stdout, piece by piece, each piece ending at a line end. An empty list is no text in a table
 * and `[]` in JSON. Records that come by and by are drawn as they come. Never throws for data of another shape than the
 * view's. What draws tables, YAML and CSV is loaded for them alone.
 */
export async function* render(
  value: Value | Records,
  view: View,
  options: RenderOptions,
): AsyncGenerator<string> {
  const { format, terminal } = options;
  if (format === "yaml") {
    const { yaml, yamlSequence } = await import("./yaml.ts");
    if ("records" in value) yield* yamlSequence(value.records);
    else yield yaml(wholeOf(value, view));
  } else if (format === "jsonl") {
    yield* (await import("./jsonl.ts")).jsonl(value, view, terminal);
  } else if (format === "json" || view.kind === "document") {
    if ("records" in value) yield* jsonArray(value.records, terminal);
    else yield json(wholeOf(value, view), terminal);
  } else {
    const [batches, atOnce] =
      "records" in value
        ? [value.records, RECORDS_AT_ONCE]
        : [allAtOnce(recordsOf(value, view)), Number.POSITIVE_INFINITY];
    const shown = options.columns ? chosen(view, options.columns) : view;
    yield* drawn(observed(batches, options), shown, { ...options, atOnce });
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

/** A view with records that columns can be drawn from. */
type RecordsView = Exclude<View, DocumentView>;

function chosen(view: RecordsView, columns: readonly Column[]): RecordsView {
  return view.kind === "list" ? { ...view, columns } : { kind: "record", columns, id: [] };
}

async function* drawn(
  batches: AsyncIterable<readonly unknown[]>,
  view: RecordsView,
  options: RenderOptions & { readonly atOnce: number },
): AsyncGenerator<string> {
  const { format, terminal } = options;
  if (format === "csv" || format === "tsv") {
    const { separated } = await import("./separated.ts");
    const write = format === "csv" ? (await import("./csv.ts")).csv : (await import("./tsv.ts")).tsv;
    yield* separated(batches, view, write, options);
  } else if (format === "id" || view.kind === "lines") {
    for await (const records of batches) yield* lines(records, view, terminal);
  } else if (view.kind === "list") {
    const { table } = await import("./table.ts");
    yield* table(batches, view.columns, { ...options, chosen: options.columns !== undefined });
  } else {
    const { record } = await import("./record.ts");
    yield* record(batches, view, options);
  }
}
