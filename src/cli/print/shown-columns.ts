import { valueAt } from "../../core/json.ts";
import { type Column, type ListView, nameOf, type View } from "../../core/view.ts";
import { availableColumns, chosenColumns } from "../../output/table/columns.ts";

/**
 * Resolves `--columns`: each word names a column of the view, or a path. `note` lists the named paths that no observed
 * record has, except those of the view's own columns.
 */
export function shownColumns(view: View, words: readonly string[]) {
  const columns = chosenColumns(view, words);
  const own = "columns" in view ? (view.columns ?? []) : [];
  const unseen = new Set(columns.filter((column) => !own.includes(column)).flatMap(({ paths }) => paths));
  let sample: unknown;
  return {
    columns,
    observe: (records: readonly unknown[]): void => {
      sample ??= records[0];
      for (const path of unseen) {
        if (records.some((record) => valueAt(record, path) !== undefined)) unseen.delete(path);
      }
    },
    note: (): string | undefined =>
      sample === undefined || unseen.size === 0
        ? undefined
        : `No record has ${[...unseen].join(", ")}. Columns: ${availableColumns(view, sample)}`,
  };
}

/** Says which columns did not fit the terminal, and how to see them. `chosen` is true if the user named the columns. */
export function leftOutNote(leftOut: readonly Column[], { columns, id }: ListView, chosen: boolean): string {
  const titles = leftOut.map(({ title }) => title).join(", ");
  const idColumn = columns.filter(({ paths }) => paths.some((path) => id.includes(path))).slice(0, 1);
  const names = [...new Set([...idColumn, ...leftOut])].map(nameOf).join(",");
  const instead = chosen ? "Name fewer in --columns, or use" : `See --columns ${names} or`;
  return `Columns left out to fit: ${titles}. ${instead} -o json.`;
}
