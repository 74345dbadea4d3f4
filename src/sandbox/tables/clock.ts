import type { Queries } from "../queries.ts";

/** The sandbox's clock as it is kept: so far ahead of the machine's, or standing still. In milliseconds. */
export interface StoredClock {
  readonly offsetMs: number;
  readonly frozenAt: number | null;
}

/** A sandbox whose clock nobody touched has the machine's. */
const machines: StoredClock = { offsetMs: 0, frozenAt: null };

export function readClock(store: Queries): StoredClock {
  const [row] = store.all("SELECT offsetMs, frozenAt FROM clock");
  if (!row) return machines;
  return { offsetMs: Number(row.offsetMs), frozenAt: row.frozenAt === null ? null : Number(row.frozenAt) };
}

export function saveClock(store: Queries, { offsetMs, frozenAt }: StoredClock): void {
  store.run("INSERT OR REPLACE INTO clock (id, offsetMs, frozenAt) VALUES (1, ?, ?)", offsetMs, frozenAt);
}
