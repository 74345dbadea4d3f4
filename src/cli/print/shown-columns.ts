import { valueAt } from "../../core/json.ts";
import type { Column, View } from "../../core/view.ts";
import { choosable, chosenColumns } from "../../output/table/columns.ts";

/** The columns of `--columns`. */
export interface ShownColumns {
  readonly columns: readonly Column[];
  readonly observe: (records: readonly unknown[]) => void;
  /** A note on paths that no observed record has. */
  readonly note: () => string | undefined;
}

/** Resolves `--columns`: each word names a column or a path. */
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
        : `No record has ${[...unseen].join(", ")}. Columns: ${choosable(view, sample)}`,
  };
}
