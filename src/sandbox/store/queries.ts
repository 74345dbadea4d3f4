export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** A part of a list: at most `limit` rows with ids above `after`. A negative `limit` means no limit. */
export interface Slice {
  readonly after: number;
  readonly limit: number;
}

/** How the sandbox's state is read and changed. */
export interface Queries {
  all(sql: string, ...values: readonly Value[]): readonly Row[];
  /** Runs a statement and returns the id of the row that an INSERT added. */
  run(sql: string, ...values: readonly Value[]): number;
}

/** The sandbox's state, shared by every process that opened the same file. */
export interface Store extends Queries {
  /** Runs `work` as one transaction, which is rolled back when `work` throws. */
  write<Result>(work: () => Result): Result;
  /** Restores the initial state, as of `now`. */
  reset(now: number): void;
  close(): void;
}
