import { isRecord, listIn } from "../core/json.ts";
import type { Data } from "../core/result.ts";
import { stringifyExactly } from "../core/values/exact-numbers.ts";
import type { View } from "../core/view.ts";

/** A value to print: its data, and its rows if table, csv, tsv and id show something else. */
export type Value = Pick<Data, "data" | "rows">;

/**
 * Returns the records that a view shows: for an array, its items; for a page in a list view, the items of the page; for
 * null, none; and for any other value, the value itself.
 */
export function recordsOf({ data, rows }: Value, view: View): readonly unknown[] {
  const shown = rows ?? data ?? [];
  if (Array.isArray(shown)) return shown;
  return (view.kind === "list" && isRecord(shown) && listIn(shown)) || [shown];
}

/** The data as it was received. In a list view, null becomes an empty list. */
export const wholeOf = ({ data }: Value, view: View): unknown => data ?? (view.kind === "list" ? [] : null);

/** Wraps records that are all in memory, for functions that take batches. */
export async function* singleBatch(records: readonly unknown[]): AsyncGenerator<readonly unknown[]> {
  yield records;
}

/**
 * Writes data as JSON. If there is a limit and the data is a list, writes lists of about `maxLength` characters, and
 * nothing for an empty list. Otherwise, writes the data as a whole. Batches of records count as a list.
 */
export async function* listsIn(data: unknown, maxLength = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  if (!isBatches(data) && (maxLength === Number.POSITIVE_INFINITY || !Array.isArray(data))) {
    yield stringifyExactly(data) ?? "null";
    return;
  }
  let items: string[] = [];
  let length = 0;
  for await (const records of isBatches(data) ? data : [data]) {
    for (const record of records) {
      const item = stringifyExactly(record) ?? "null";
      items.push(item);
      length += item.length;
      if (length < maxLength) continue;
      yield `[${items.join(",")}]`;
      items = [];
      length = 0;
    }
  }
  if (items.length > 0 || maxLength === Number.POSITIVE_INFINITY) yield `[${items.join(",")}]`;
}

const isBatches = (data: unknown): data is AsyncIterable<readonly unknown[]> =>
  typeof data === "object" && data !== null && Symbol.asyncIterator in data;

export interface Chunk {
  readonly records: readonly unknown[];
  /** Whether this is the last chunk. */
  readonly last: boolean;
}

/**
 * Regroups batches into chunks of `size` records. The last chunk may be shorter, and there is always at least one
 * chunk. If the source fails, first yields the records that it has yielded.
 */
export async function* rechunk(
  batches: AsyncIterable<readonly unknown[]>,
  size: number,
): AsyncGenerator<Chunk> {
  let pending: readonly unknown[] = [];
  try {
    for await (const batch of batches) {
      pending = pending.length === 0 ? batch : pending.concat(batch);
      for (; pending.length > size; pending = pending.slice(size)) {
        yield { records: pending.slice(0, size), last: false };
      }
    }
  } catch (error) {
    if (pending.length > 0) yield { records: pending, last: true };
    throw error;
  }
  yield { records: pending, last: true };
}
