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

/** All there is to print, as it was sent; a list that is null is one of nothing. */
export const wholeOf = ({ data }: Value, view: View): unknown => data ?? (view.kind === "list" ? [] : null);
