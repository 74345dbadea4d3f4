import type { Queries } from "../queries.ts";

/** What a user may use up, in cents, when nothing else was said: $10,000. */
export const firstCreditCents = 1_000_000;

/** What a user has paid in, in cents; what was used is not taken off. */
export function creditOf(store: Queries, userId: string): number {
  const [row] = store.all("SELECT cents FROM credits WHERE userId = ?", userId);
  return row ? Number(row.cents) : firstCreditCents;
}

export function saveCredit(store: Queries, userId: string, cents: number): void {
  store.run("INSERT OR REPLACE INTO credits (userId, cents) VALUES (?, ?)", userId, cents);
}
