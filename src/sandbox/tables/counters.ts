import type { Queries } from "../queries.ts";

/** Counts a thing up from 1, anew after a reset: what takes the place of chance, so that the same calls give the same answers. */
export function count(store: Queries, name: string): number {
  store.run(
    "INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1",
    name,
  );
  return Number(store.all("SELECT value FROM counters WHERE name = ?", name)[0]?.value);
}
