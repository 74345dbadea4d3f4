import { matchesGlob } from "../../core/text.ts";
import { secondMs } from "../clock.ts";
import { runningFrom, type StoredRental } from "../rentals/lifecycle.ts";
import type { Queries } from "../store/queries.ts";
import { activeRentals, saveRental } from "../tables/rentals.ts";
import { countHit, type SituationOf, type StoredSituation, situationsOf } from "./table.ts";

type PlannedEnd = SituationOf<"interruption" | "failure">;

const isLeft = ({ hits, situation: { times } }: StoredSituation<PlannedEnd["kind"]>): boolean =>
  times === undefined || hits < times;

/** Applies the oldest matching interruption and failure to a rental that is created at `now`. */
export function withPlannedEnds(store: Queries, rental: StoredRental, now: number): StoredRental {
  return (["interruption", "failure"] as const).reduce((planned, kind) => {
    const rule = situationsOf(store, kind).find(
      (one) => isLeft(one) && one.situation.rentalId === undefined && matches(one.situation, planned),
    );
    return (rule && plan(store, rule, planned, now)) ?? planned;
  }, rental);
}

/** Applies a new interruption or failure to the active rentals that it matches. */
export function planForActive(
  store: Queries,
  userId: string,
  rule: StoredSituation<PlannedEnd["kind"]>,
  now: number,
): void {
  let { hits } = rule;
  for (const { id, rental } of activeRentals(store, userId, now)) {
    const { situation } = rule;
    if (!isLeft({ ...rule, hits }) || !matches(situation, rental, id)) continue;
    const planned = plan(store, rule, rental, now);
    if (planned === undefined) continue;
    saveRental(store, { id, rental: planned });
    hits += 1;
  }
}

const matches = ({ rentalId, label }: PlannedEnd, rental: StoredRental, id?: number): boolean =>
  (rentalId === undefined || rentalId === id) &&
  (label === undefined || matchesGlob(rental.label ?? "", label));

/** The rental with its end or failure; undefined if it never runs. Counts the use. */
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
