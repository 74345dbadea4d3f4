export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** How the sandbox's state is read and changed. */
export interface Queries {
  all(sql: string, ...values: readonly Value[]): readonly Row[];
  /** Changes something, and gives the id of the row that an INSERT made. */
  run(sql: string, ...values: readonly Value[]): number;
}
