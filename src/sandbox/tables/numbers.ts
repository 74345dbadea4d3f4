import type { Id } from "../../contract/shared.ts";
import type { Queries } from "../queries.ts";

/** An id as a number; undefined if it is not one. The sandbox's ids are numbers, which a caller may send as strings. */
export const numberOf = (id: Id): number | undefined =>
  /^[1-9]\d{0,15}$/.test(String(id)) ? Number(id) : undefined;

/**
 * Adds 1 to a named counter, which is 0 after a reset, and returns it. Replaces randomness, so that the same calls get the
 * same responses.
 */
export function increment(store: Queries, name: string): number {
  store.run(
    "INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
    name,
  );
  return Number(store.all("SELECT value FROM counters WHERE name = ?", name)[0]?.value);
}
