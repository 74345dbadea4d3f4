/** How a person sees a value: plain data, so that listing the commands loads nothing else. */
export type View = ListView | RecordView | LinesView | DocumentView;

/** A table with a row for each record of an array. */
export interface ListView {
  readonly kind: "list";
  readonly columns: readonly Column[];
  /** Said on stderr instead of an empty table, such as "No active rentals." */
  readonly empty: string;
  /** Where a record's identifier stands; the first one that is there wins. */
  readonly id: readonly string[];
}

/** One record, a line for each field. Without columns every field is shown under its own name. */
export interface RecordView {
  readonly kind: "record";
  readonly columns?: readonly Column[];
  readonly id: readonly string[];
}

/** One value of each record on a line of its own, such as the paths of saved files. */
export interface LinesView {
  readonly kind: "lines";
  /** Dotted path of the value in each record. */
  readonly path: string;
}

/** JSON in every format: a document that has no other shape. */
export interface DocumentView {
  readonly kind: "document";
}

export interface Column {
  readonly title: string;
  /** What it is called where a program reads; the title in lower case with `_` for blanks when left out. */
  readonly name?: string;
  /** Dotted paths, the first value that is not null wins. */
  readonly paths: readonly string[];
  readonly format?: Format;
  /** How words are spelt that services spell in several ways, by their letters alone and in lower case. */
  readonly spelling?: Readonly<Record<string, string>>;
}

/**
 * - `text`: as it is (the default)
 * - `cents`: a number of cents, drawn as dollars, right-aligned
 * - `number`: right-aligned
 * - `time`: a time stamp; relative ("3h ago") on a terminal, as it came in a pipe
 * - `gpus`: `gpuCount` x `gpuType` of the whole record
 * - `ssh`: user@host:port of the whole record, one or several; empty while there is no address
 * - `list`: an array, joined with commas
 * - `yes-no`: a boolean
 * - `any`: as it is; right-aligned when all of it is numbers
 */
export type Format = "text" | "cents" | "number" | "time" | "gpus" | "ssh" | "list" | "yes-no" | "any";

export type OutputFormat = (typeof outputFormats)[number];
export const outputFormats = ["table", "json", "jsonl", "yaml", "csv", "tsv", "id"] as const;

/** Formats that show columns. */
export const columnFormats: readonly OutputFormat[] = ["table", "csv", "tsv"];

/** Whether a program reads it: an error beside it is one JSON document, and nothing else is said before the end. */
export const isMachineFormat = (format: OutputFormat): boolean => format !== "table" && format !== "id";
