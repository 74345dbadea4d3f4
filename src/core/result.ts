import type { ListView, View } from "./view.ts";

/** What a command hands back for the core to print. */
export type Result = Data | Records | Bytes | Text | Ended | Frames;

/** A value: drawn by the command's view as a table, or printed as JSON just as it is. */
export interface Data {
  readonly data: unknown;
  /** What the table is drawn from, where it says more than the data itself. */
  readonly rows?: unknown;
  /** How it is drawn, in the place of the command's view. */
  readonly view?: View;
  /** Printed at once; the command then goes on until this settles. */
  readonly until?: Promise<void>;
  /** The exit code of a command that found something wrong; 0 when left out. */
  readonly exitCode?: number;
}

/** Records of a list that may be longer than memory: as many at a time as came together. */
export interface Records {
  readonly records: AsyncIterable<readonly unknown[]>;
}

/** Nothing to print: the command ends as a program ended that it ran. */
export interface Ended {
  readonly exitCode: number;
}

/** Bytes for stdout. */
export interface Bytes {
  readonly bytes: Uint8Array;
}

/** Text that is printed piece by piece as it comes. */
export interface Text {
  readonly text: AsyncIterable<string>;
  /** As of `Data`. */
  readonly exitCode?: number;
}

/** A list that is looked at again and again, until the user ends it. */
export interface Frames {
  readonly frames: AsyncIterable<Frame>;
  /** How it is drawn, in the place of the command's view. */
  readonly view: ListView;
}

/** What one look saw, or what the last good one saw when it failed. */
export interface Frame extends Pick<Data, "data" | "rows"> {
  /** Lines under the list that are a part of what was seen. */
  readonly notes: readonly string[];
  /** When it was looked, what went wrong, and how to leave; for people. */
  readonly status: string;
  readonly failed: boolean;
}
