import { leaves, saysCents, withoutCents } from "./leaves.ts";
import { isRecord } from "./paths.ts";
import type { Column, View } from "./view.ts";

/** What a program calls a column. */
export const nameOf = ({ name, title }: Column): string => name ?? title.toLowerCase().replaceAll(" ", "_");

/** The columns that a view names; none where each record shows all it has. */
const columnsOf = (view: View): readonly Column[] => ("columns" in view && view.columns) || [];

/** The columns of some words, in their order: each a title or a name of the view's, without case, else a dotted path. */
export function chosenColumns(view: View, words: readonly string[]): readonly Column[] {
  return words.map((word) => {
    const known = columnsOf(view).find((column) =>
      [column.title, nameOf(column)].some((name) => name.toLowerCase() === word.toLowerCase()),
    );
    return known ?? pathColumn(word);
  });
}

function pathColumn(path: string): Column {
  const cents = saysCents(path);
  return {
    title: cents ? withoutCents(path) : path,
    name: path,
    paths: [path],
    format: cents ? "cents" : "any",
  };
}

/** A column for each value inside the records, as a table shows them. */
export const everyColumn = (records: readonly unknown[]): readonly Column[] =>
  pathsIn(records).map((path) => (path === "" ? itself : pathColumn(path)));

/** The columns of a view, else one for each value inside the records. */
export function plainColumns(view: View, records: readonly unknown[]): readonly Column[] {
  const known = columnsOf(view);
  if (known.length > 0) return known;
  return pathsIn(records).map((path) => (path === "" ? itself : { title: path, name: path, paths: [path] }));
}

const pathsIn = (records: readonly unknown[]): readonly string[] => [
  ...new Set(records.flatMap((record) => [...leaves(record)].map(({ path }) => path))),
];

/** Stands for records that are no records. */
const itself: Column = { title: "value", paths: [] };

/** What a user may choose from, in words: the view's columns, then the values inside a record. */
export function choosable(view: View, record: unknown): string {
  const named = columnsOf(view).map((column) =>
    column.title.toLowerCase() === nameOf(column) ? column.title : `${column.title} (${nameOf(column)})`,
  );
  const inside = isRecord(record) ? [...leaves(record)].map(({ path }) => path) : [];
  return [...named, ...inside.filter((path) => path !== "")].join(", ");
}
