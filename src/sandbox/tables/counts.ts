import type { Queries } from "../queries.ts";

export interface Counts {
  readonly rentals: { readonly active: number; readonly ended: number };
  readonly volumes: number;
  /** False from the user's deletion until the next reset: no key works then. */
  readonly userExists: boolean;
  /** Faults that still wait for calls. */
  readonly faults: number;
}

/** How much of each thing there is, whoever it belongs to. */
export function countAll(store: Queries, now: number): Counts {
  const [row] = store.all(
    `SELECT
      (SELECT count(*) FROM rentals WHERE endsAt IS NULL OR endsAt > ?1) AS active,
      (SELECT count(*) FROM rentals WHERE endsAt <= ?1) AS ended,
      (SELECT count(*) FROM volumes) AS volumes,
      (SELECT count(*) FROM users WHERE deletedAt IS NULL) AS users,
      (SELECT count(*) FROM faults WHERE calls < skip + times) AS faults`,
    now,
  );
  return {
    rentals: { active: Number(row?.active), ended: Number(row?.ended) },
    volumes: Number(row?.volumes),
    userExists: Number(row?.users) > 0,
    faults: Number(row?.faults),
  };
}
