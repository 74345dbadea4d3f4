import type { ListView, View } from "./view.ts";

/** What a command returns to be printed. */
export type Result = Data | Records | Bytes | Text | Ended | Frames;

/** A value, shown through the command's view or printed as JSON unchanged. */
export interface Data extends Paid {
  readonly data: unknown;
  /** Data for table, csv, tsv and id, if it differs from `data`. */
  readonly rows?: unknown;
  /** Replaces the command's view. */
  readonly view?: View;
  /** The data is printed immediately. The command then runs until this promise settles. */
  readonly until?: Promise<void>;
  /** The exit code, 0 by default. A command that finds a problem sets another code. */
  readonly exitCode?: number;
  /** The error that makes the data incomplete. It is reported after the data is printed, and sets the exit code. */
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
  /** What the command does, in a few words. */
  readonly text: string;
}

/** A list that may not fit in memory. Its records arrive in batches. */
export interface Records extends Paid {
  readonly records: AsyncIterable<readonly unknown[]>;
  /**
   * The field whose text continues the text of the previous record, such as `choices` in a streamed chat. In this
   * field, a secret that is split between records is masked, too.
   */
  readonly continued?: string;
  /** Records for table, csv, tsv and id, if they differ from `records`. Only one of the two is read. */
  readonly rows?: AsyncIterable<readonly unknown[]>;
  /** Replaces the command's view. */
  readonly view?: View;
  /**
   * Called after the records are read, or when they could not be printed. Returns the error that makes them incomplete,
   * which is reported like `failure` in `Data`.
   */
  readonly failureAtEnd?: () => Error | undefined;
}

/** Prints nothing and exits with the code of a program that the command ran. */
export interface Ended {
  readonly exitCode: number;
}

/** Bytes to write to stdout, or chunks of them as they are read. */
export interface Bytes extends Paid {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>;
  /**
   * Whether the bytes were charged for and are kept until they are printed. If so, a closed pipe is an error, which
   * says where they are.
   */
  readonly kept?: boolean;
  /** As in `Data`. */
  readonly failure?: Error | undefined;
}

/** A result whose output may have been charged for. */
interface Paid {
  /**
   * Whether the output was charged for. If so, and stdout cannot take the output, for example because a disk is full,
   * gpuctl stores it in a file, and the error says where. If the reader closes the pipe, only `Bytes` and results that
   * may have a failure are stored.
   */
  readonly paid?: boolean;
}

/** Pieces of text, printed as they arrive. */
export interface Text extends Paid {
  readonly text: Iterable<TextPiece> | AsyncIterable<TextPiece>;
  /** Replaces the command's view. */
  readonly view?: View;
  /**
   * Called after the text has been printed. If an error ended the text early, the part before the error has been
   * printed, and `error` is set. If this function throws, the command fails with what it throws.
   */
  readonly after?: (error?: unknown) => void | Promise<void>;
  /** As in `Data`. */
  readonly exitCode?: number;
  /**
   * If the reader closes the pipe, the command fails instead of ending quietly. After any other failed write, the
   * command continues.
   */
  readonly needsReader?: true;
}

/** A text for stdout, or an aside for stderr. */
export type TextPiece = string | { readonly aside: string };

/** A list that is refreshed until the user stops it. */
export interface Frames {
  readonly frames: AsyncIterable<Frame>;
  /** Replaces the command's view. */
  readonly view: ListView;
}

/** The result of one refresh or, if that refresh failed, of the last successful refresh. */
export interface Frame extends Pick<Data, "data" | "rows"> {
  /** Lines below the list. They are part of the result, like the list itself; `status` is not. */
  readonly notes: readonly string[];
  /** A text for the user: the time, the error if any, and how to quit. */
  readonly status: string;
  /** The refresh, or a part of it, failed. */
  readonly failed: boolean;
  /** The whole refresh failed, so nothing in the frame is new. */
  readonly stale: boolean;
}
