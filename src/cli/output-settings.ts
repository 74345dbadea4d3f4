import { UsageError } from "../commands/errors.ts";
import { columnFormats, type OutputFormat, outputFormats, type View } from "../output/view.ts";
import type { TypedGlobals } from "./globals.ts";
import { choice, type Found } from "./setting-values.ts";

/** What of the result is printed, and how. */
export interface OutputSettings {
  /** JSON where a filter is applied to it. */
  readonly output: OutputFormat;
  /** The command line itself asks for another format than the table. */
  readonly formatTyped: boolean;
  /** The command line itself asks for a table, or for something about one. */
  readonly tableTyped: boolean;
  /** Columns to show, as typed: titles, names or dotted paths. */
  readonly columns: readonly string[] | undefined;
  /** Titles stand above columns. */
  readonly header: boolean;
  /** A jq filter. */
  readonly jq: string | undefined;
}

/** Throws `UsageError` for flags that cannot be had together. */
export function outputSettings(typed: TypedGlobals, found: Found | undefined): OutputSettings {
  const format = choice(found, outputFormats);
  const jq = typeof typed.jq === "string" ? typed.jq : undefined;
  const columns = typeof typed.columns === "string" ? columnList(typed.columns) : undefined;
  const header = typed.header !== false;
  const about = [columns && "--columns", !header && "--no-header"].find((flag) => typeof flag === "string");
  if (jq !== undefined) {
    if (about)
      throw new UsageError(`--jq and ${about} exclude each other: what a filter gives has no columns`);
    if (typed.output !== undefined && format !== "json" && format !== "jsonl") {
      throw new UsageError(`--jq filters JSON, and --output says ${format}: leave one out`);
    }
  } else if (about && !columnFormats.includes(format)) {
    throw new UsageError(
      `${about} is for ${columnFormats.join(", ")}, and ${found?.source} says ${format}: leave one out`,
    );
  }
  const formatTyped = jq !== undefined || (typed.output !== undefined && format !== "table");
  const tableTyped = (typed.output !== undefined && format === "table") || about !== undefined;
  return { output: jq === undefined ? format : "json", formatTyped, tableTyped, columns, header, jq };
}

function columnList(text: string): readonly string[] {
  const columns = text.split(",").map((column) => column.trim());
  if (columns.includes("")) {
    throw new UsageError(
      `--columns must be names with commas between, such as id,label, not ${JSON.stringify(text)}`,
    );
  }
  return columns;
}

/** Throws `UsageError` when the view has nothing that `--columns` or `--no-header` could change. */
export function checkColumns({ kind }: View, { output, columns, header }: OutputSettings): void {
  if (kind === "document" && (columns || !header)) {
    throw new UsageError(`${columns ? "--columns" : "--no-header"}: this prints a document without columns`);
  }
  if (kind === "lines" && columns && output === "table") {
    throw new UsageError(
      "--columns needs --output csv or tsv here: --output table prints a line for each result",
    );
  }
}
