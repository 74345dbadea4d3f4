import type { Id } from "../../contract/shared.ts";
import type { Queries } from "../queries.ts";

/** The number behind an id: the sandbox's ids are numbers, which a caller may send as strings. */
export const numberOf = (id: Id): number | undefined =>
  /^[1-9]\d{0,15}$/.test(String(id)) ? Number(id) : undefined;

/** Counts from 1, starting over at a reset. Replaces randomness, so that the same calls give the same responses. */
export function count(store: Queries, name: string): number {
  store.run(
    "INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
    name,
  );
  return Number(store.all("SELECT value FROM counters WHERE name = ?", name)[0]?.value);
}
