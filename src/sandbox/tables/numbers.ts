import type { Id } from "../../contract/shared.ts";
import type { Queries, Store } from "../store/queries.ts";

/**
 * Returns an id as a number, or undefined if it is not a positive whole number of at most 16 digits without leading
 * zeros. Callers may send the sandbox's numeric ids as strings.
 */
export const numberOf = (id: Id): number | undefined =>
  /^[1-9]\d{0,15}$/.test(String(id)) ? Number(id) : undefined;

/**
 * Adds 1 to a named counter, and returns its new value. After a reset, counters are 0. Counters replace randomness, so
 * that the same calls get the same responses.
 */
export function increment(store: Queries, name: string): number {
  return addTo(store, name, 1);
}

/** Adds a whole amount to a named counter, and returns its new value. */
export function addTo(store: Queries, name: string, amount: number): number {
  store.run(
    "INSERT INTO counters (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = value + ?2",
    name,
    amount,
  );
  return countOf(store, name);
}

/** The value of a named counter. */
export const countOf = (store: Queries, name: string): number =>
  Number(store.all("SELECT value FROM counters WHERE name = ?", name)[0]?.value ?? 0);

/** Removes the row with the given ID, or all rows if no ID is given. Returns how many rows were removed. */
export const removeRows = (store: Store, table: "faults" | "boots" | "situations", id?: number): number =>
  store.write(() => {
    const count = () => Number(store.all(`SELECT count(*) AS count FROM ${table}`)[0]?.count);
    const before = count();
    store.run(`DELETE FROM ${table} WHERE id = ifnull(?, id)`, id ?? null);
    return before - count();
  });
