/** How a value is shown to people. A view is plain data, so that the command tree can contain it. */
export type View = ListView | RecordView | LinesView | DocumentView;

/** A table with one row per record. */
export interface ListView {
  readonly kind: "list";
  readonly columns: readonly Column[];
  /** Printed on stderr instead of an empty table, such as "No active rentals." */
  readonly empty: string;
  /** Dotted paths of a record's ID. The first path that has a value is used. */
  readonly id: readonly string[];
}

/** One record, one line per field. Without columns, every field is shown under its own name. */
export interface RecordView {
  readonly kind: "record";
  readonly columns?: readonly Column[];
  readonly id: readonly string[];
}

/** One value per record, each on its own line, such as the paths of saved files. */
export interface LinesView {
  readonly kind: "lines";
  /** Dotted path of the value in each record. */
  readonly path: string;
  /** Whether the text that the command streams is Markdown, which is drawn with styles on a terminal. */
  readonly markdown?: boolean;
}

/** A document, which has no columns. `yaml` prints it as YAML, and every other format as JSON. */
export interface DocumentView {
  readonly kind: "document";
}

export interface Column {
  readonly title: string;
  /** Name in csv and tsv. By default, the title in lower case with `_` for spaces. */
  readonly name?: string;
  /** Dotted paths. The first value that is not null is shown. */
  readonly paths: readonly string[];
  readonly format?: Format;
  /** If a list does not fit the terminal, columns with a higher number are left out first. 0 by default. */
  readonly priority?: number;
  /**
   * The usual text of the column. If every row shows it and the list does not fit the terminal, the column is left out
   * before columns that say more.
   */
  readonly usual?: string;
  /**
   * Unless the terminal is narrower, the text is clipped to no less than 36 characters, the length of a UUID, because a
   * shorter address or path is useless.
   */
  readonly whole?: boolean;
  /** How to show words that services spell in several ways. The keys are the letters of these words in lower case. */
  readonly spelling?: Readonly<Record<string, string>>;
}

/** The column's name in csv, tsv and `--columns`. */
export const nameOf = ({ name, title }: Column): string => name ?? title.toLowerCase().replaceAll(" ", "_");

/**
 * - `text`: unchanged (the default)
 * - `cents`: cents, shown as dollars, right-aligned
 * - `dollars`: a number of dollars, shown exactly with at least two decimals, right-aligned
 * - `number`: right-aligned
 * - `time`: a timestamp; relative ("3h ago") on a terminal, unchanged in a pipe
 * - `gpus`: `gpuCount` x `gpuType` of the whole record
 * - `ssh`: one or more user@host:port of the whole record; empty without an address
 * - `list`: an array, joined with commas
 * - `yes-no`: a boolean
 * - `any`: unchanged; right-aligned when the whole column is numeric
 */
export type Format =
  | "text"
  | "cents"
  | "dollars"
  | "number"
  | "time"
  | "gpus"
  | "ssh"
  | "list"
  | "yes-no"
  | "any";

export type OutputFormat = (typeof outputFormats)[number];
export const outputFormats = ["table", "json", "jsonl", "yaml", "csv", "tsv", "id"] as const;

/** Formats that show columns. */
export const columnFormats: readonly OutputFormat[] = ["table", "csv", "tsv"];

/** Whether the format is for programs. If it is, errors are JSON documents, and notes are printed after the result. */
export const isMachineFormat = (format: OutputFormat): boolean => format !== "table" && format !== "id";
