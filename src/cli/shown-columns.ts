import { choosable, chosenColumns } from "../output/columns.ts";
import { valueAt } from "../output/paths.ts";
import type { Column, View } from "../output/view.ts";

/** The columns that a user asked for, and what turned out to be in the records. */
export interface ShownColumns {
  readonly columns: readonly Column[];
  readonly observe: (records: readonly unknown[]) => void;
  /** What is to be said of paths that no record has, once all records were seen. */
  readonly note: () => string | undefined;
}

/** Resolves what `--columns` named, a column or a path each. */
export function shownColumns(view: View, words: readonly string[]): ShownColumns {
  const columns = chosenColumns(view, words);
  const own = "columns" in view ? (view.columns ?? []) : [];
  const unseen = new Set(columns.filter((column) => !own.includes(column)).flatMap(({ paths }) => paths));
  let sample: unknown;
  return {
    columns,
    observe: (records) => {
      sample ??= records[0];
      for (const path of unseen) {
        if (records.some((record) => valueAt(record, path) !== undefined)) unseen.delete(path);
      }
    },
    note: () =>
      sample === undefined || unseen.size === 0
        ? undefined
        : `No record has ${[...unseen].join(", ")}. There are: ${choosable(view, sample)}`,
  };
}
