import { matchesGlob } from "../../core/text.ts";
import { secondMs } from "../clock.ts";
import { runningFrom, type StoredRental } from "../rentals/lifecycle.ts";
import type { Queries } from "../store/queries.ts";
import { activeRentals, saveRental } from "../tables/rentals.ts";
import { countHit, type SituationOf, type StoredSituation, situationsOf } from "./table.ts";

type PlannedEnd = SituationOf<"interruption" | "failure">;

const hasHitsLeft = ({ hits, situation: { times } }: StoredSituation<PlannedEnd["kind"]>): boolean =>
  times === undefined || hits < times;

/** Applies the oldest matching interruption and the oldest matching failure to a rental that is created at `now`. */
export function withPlannedEnds(store: Queries, rental: StoredRental, now: number): StoredRental {
  return (["interruption", "failure"] as const).reduce((planned, kind) => {
    const stored = situationsOf(store, kind).find(
      (one) => hasHitsLeft(one) && one.situation.rentalId === undefined && matches(one.situation, planned),
    );
    return (stored && plan(store, stored, planned, now)) ?? planned;
  }, rental);
}

/** Applies a new interruption or failure to the active rentals that it matches, up to its maximum number of hits. */
export function planForActive(
  store: Queries,
  stored: StoredSituation<PlannedEnd["kind"]>,
  now: number,
): void {
  let { hits } = stored;
  for (const { id, rental } of activeRentals(store, undefined, now)) {
    const { situation } = stored;
    if (!hasHitsLeft({ ...stored, hits }) || !matches(situation, rental, id)) continue;
    const planned = plan(store, stored, rental, now);
    if (planned === undefined) continue;
    saveRental(store, { id, rental: planned });
    hits += 1;
  }
}

const matches = ({ rentalId, label }: PlannedEnd, rental: StoredRental, id?: number): boolean =>
  (rentalId === undefined || rentalId === id) &&
  (label === undefined || matchesGlob(rental.label ?? "", label));

/**
 * Returns the rental with its planned end or failure, and counts a hit. If the rental never runs, returns undefined and
 * counts no hit.
 */
function plan(
  store: Queries,
  { id, situation: { kind, afterSeconds = 0, at } }: StoredSituation<PlannedEnd["kind"]>,
  rental: StoredRental,
  now: number,
): StoredRental | undefined {
  const from = Math.max(now, runningFrom(rental));
  if (!Number.isFinite(from)) return undefined;
  countHit(store, id);
  const moment =
    at === undefined ? from + Math.round(afterSeconds * secondMs) : Math.max(from, Date.parse(at));
  return kind === "failure"
    ? { ...rental, failsAt: Math.min(moment, rental.failsAt ?? moment) }
    : { ...rental, terminatedAt: Math.min(moment, rental.terminatedAt ?? moment) };
}
