import type { Data } from "./answer.ts";
import { isRecord } from "./paths.ts";
import type { View } from "./view.ts";

/** A value to print: its data, and its rows when the table says more. */
export type Value = Pick<Data, "data" | "rows">;

/** Names under which services put the records of a page. */
const PAGE_KEYS = ["items", "data", "rentals", "results"];

/**
 * The records that a view shows, whatever shape came: an array is its items, a page of a list is what it holds, null is
 * none, anything else is one.
 */
export function recordsOf({ data, rows }: Value, view: View): readonly unknown[] {
  const shown = rows ?? data ?? [];
  if (Array.isArray(shown)) return shown;
  const page = view.kind === "list" && isRecord(shown) ? shown : {};
  return PAGE_KEYS.map((key) => page[key]).find((held) => Array.isArray(held)) ?? [shown];
}

/** True of a list without a record, for which a table prints nothing: the view's `empty` says so elsewhere. */
export function isEmpty(value: Value, view: View): boolean {
  return view.kind === "list" && recordsOf(value, view).length === 0;
}
