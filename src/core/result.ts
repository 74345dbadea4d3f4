import type { ListView, View } from "./view.ts";

/** What a command returns to be printed. */
export type Result = Data | Records | Bytes | Text | Ended | Frames;

/** A value, shown through the command's view or printed as JSON unchanged. */
export interface Data extends Paid {
  readonly data: unknown;
  /** Data for the table, when it differs from `data`. */
  readonly rows?: unknown;
  /** Replaces the command's view. */
  readonly view?: View;
  /** The data is printed immediately, and the command then runs until this promise settles. */
  readonly until?: Promise<void>;
  /** 0 by default; a command that found a problem sets another. */
  readonly exitCode?: number;
  /** The error that makes the data incomplete. It is reported once the data is printed, and sets the exit code. */
  readonly failure?: Error | undefined;
  /** A line below the table, on stderr, such as a total. Other formats leave it out. */
  readonly note?: string | undefined;
  /** Commands that users often run next. They are shown on stderr with the table format. */
  readonly nextSteps?: readonly NextStep[];
}

export interface NextStep {
  /** Such as `rentals wait`. */
  readonly command: string;
  readonly args: readonly string[];
  /** What it does, in a few words. */
  readonly text: string;
}

/** A list that may not fit in memory, in batches of records as they arrive. */
export interface Records extends Paid {
  readonly records: AsyncIterable<readonly unknown[]>;
  /** The field whose texts continue those of the record before, such as `choices` in a streamed chat. */
  readonly continued?: string;
  /** The records for formats that show columns, when they differ. Only one of the two is read. */
  readonly rows?: AsyncIterable<readonly unknown[]>;
  /** Replaces the command's view. */
  readonly view?: View;
  /** The error that makes the records incomplete, once they are read. It is reported as that of `Data`. */
  readonly failureAtEnd?: () => Error | undefined;
}

/** Prints nothing and exits with the code of a program that the command ran. */
export interface Ended {
  readonly exitCode: number;
}

/** Bytes to write to stdout, or chunks of them as they are read. */
export interface Bytes extends Paid {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /** As in `Data`. */
  readonly failure?: Error | undefined;
}

/** A result whose output was charged for. */
interface Paid {
  /** If stdout cannot take the output, it is stored in a file instead, and the error says where. */
  readonly paid?: boolean;
}

/** Pieces of text, printed as they arrive. */
export interface Text extends Paid {
  readonly text: Iterable<TextPiece> | AsyncIterable<TextPiece>;
  /** Replaces the command's view. */
  readonly view?: View;
  /**
   * Called when the text has been printed, or the part that arrived before an error. If it throws, the command fails with
   * that error.
   */
  readonly after?: (error?: unknown) => void | Promise<void>;
  /** As in `Data`. */
  readonly exitCode?: number;
}

/** A text for stdout, or an aside for stderr. */
export type TextPiece = string | { readonly aside: string };

/** A list that is refreshed until the user stops it. */
export interface Frames {
  readonly frames: AsyncIterable<Frame>;
  /** Replaces the command's view. */
  readonly view: ListView;
}

/** The result of one refresh, or of the last successful one when it failed. */
export interface Frame extends Pick<Data, "data" | "rows"> {
  /** Lines below the list that belong to the snapshot. */
  readonly notes: readonly string[];
  /** For people: the time, the error if any, and how to quit. */
  readonly status: string;
  /** The refresh, or a part of it, failed. */
  readonly failed: boolean;
  /** Nothing in it is new: the whole refresh failed. */
  readonly stale: boolean;
}
