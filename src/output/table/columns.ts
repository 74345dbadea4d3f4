import { isRecord } from "../../core/json.ts";
import { exactText } from "../../core/values/exact-numbers.ts";
import { dollars, exactCents } from "../../core/values/money.ts";
import { type Column, nameOf, type View } from "../../core/view.ts";
import { isSimpleList, plainText } from "../text.ts";

/** A value inside a record and the dotted path that leads to it. */
export interface Leaf {
  readonly path: string;
  readonly value: unknown;
}

/** Values at this depth are shown as JSON, because the service may nest values to any depth. */
const MAX_DEPTH = 16;

/** The columns that a view declares; empty for a view that shows every field. */
export const columnsOf = (view: View): readonly Column[] => ("columns" in view && view.columns) || [];

/** Resolves `--columns`: each word is a title or a name of the view's columns, ignoring case, or a dotted path. */
export function chosenColumns(view: View, words: readonly string[]): readonly Column[] {
  return words.map((word) => {
    const known = columnsOf(view).find((column) =>
      [column.title, nameOf(column)].some((name) => name.toLowerCase() === word.toLowerCase()),
    );
    return known ?? pathColumn(word);
  });
}

function pathColumn(path: string): Column {
  const cents = isCentsPath(path);
  return {
    title: cents ? withoutCents(path) : path,
    name: path,
    paths: [path],
    format: cents ? "cents" : "any",
  };
}

/** A column for each path in the records. */
export function everyColumn(records: readonly unknown[]): readonly Column[] {
  const paths = new Set(records.flatMap((record) => [...leaves(record)].map(({ path }) => path)));
  return [...paths].map((path) => (path === "" ? wholeRecord : pathColumn(path)));
}

/** The single column of a list of scalars. */
const wholeRecord: Column = { title: "value", paths: [] };

/** Lists, for a message, what `--columns` accepts: the view's columns, then the paths inside a record. */
export function availableColumns(view: View, record: unknown): string {
  const named = columnsOf(view).map((column) =>
    column.title.toLowerCase() === nameOf(column) ? column.title : `${column.title} (${nameOf(column)})`,
  );
  const inside = isRecord(record) ? [...leaves(record)].map(({ path }) => path) : [];
  return [...named, ...inside.filter((path) => path !== "")].join(", ");
}

/**
 * Every value of a record, in the record's own order. An array of scalars is a single leaf, and so is an empty record.
 */
export function* leaves(value: unknown, path = "", depth = 0): Generator<Leaf> {
  const children = depth < MAX_DEPTH ? childrenOf(value) : [];
  if (children.length === 0) {
    yield { path, value: isRecord(value) && Object.keys(value).length === 0 ? "" : value };
  }
  for (const [key, inner] of children) {
    yield* leaves(inner, path === "" ? key : `${path}.${key}`, depth + 1);
  }
}

function childrenOf(value: unknown): readonly [string, unknown][] {
  if (isSimpleList(value)) return [];
  if (!Array.isArray(value) && !isRecord(value)) return [];
  return Object.entries(value).map(([key, inner]) => [
    key,
    isCentsPath(key) && typeof inner === "number"
      ? exactCents(inner, exactText(value, key))
      : (exactText(value, key) ?? inner),
  ]);
}

/** Formats a leaf for the user: cents become dollars, and "cents" at the end of a name is removed from the path. */
export function shownLeaf({ path, value }: Leaf): { readonly path: string; readonly text: string } {
  if ((typeof value === "number" || typeof value === "bigint") && isCentsPath(path)) {
    return { path: withoutCents(path), text: dollars(value) };
  }
  return { path, text: plainText(value) };
}

const withoutCents = (path: string): string => path.replace(/_?cents(?=\.|$)/i, "");

/** True for paths through `costPerHourCents`, `price_in_cents` and `centsPriceTotal`, false for `percents`. */
const isCentsPath = (path: string): boolean =>
  path
    .split(".")
    .some((name) => /Cents$|(?:^|_)cents$/.test(name) || (/cents/i.test(name) && /cost|price/i.test(name)));
