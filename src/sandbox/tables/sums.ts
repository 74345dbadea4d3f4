import type { termTypes } from "../../contract/enums.ts";
import { secondMs } from "../clock.ts";
import { billedBefore, rentalAt, type StoredRental } from "../rentals/lifecycle.ts";
import type { Queries, Row, Value } from "../store/queries.ts";
import { isActiveAt } from "./rentals.ts";

/** Counts the rentals whose prices are only in their records, not in columns. */
const countUnpriced = "count(*) FILTER (WHERE hourlyCents IS NULL) AS unpriced";

/** Reads the rentals that `countUnpriced` counted. Usually there are none, which saves a second pass. */
const unpriced = (
  store: Queries,
  sums: Row | undefined,
  condition: string,
  ...values: readonly Value[]
): readonly StoredRental[] =>
  Number(sums?.unpriced) === 0
    ? []
    : store
        .all(`SELECT record FROM rentals WHERE ${condition} AND hourlyCents IS NULL`, ...values)
        .map(({ record }) => JSON.parse(String(record)));

/** A number of rentals, and what they cost per hour together, in cents. */
export type RentalSum = Readonly<Record<"count" | "costPerHourCents", number>>;

type TermType = (typeof termTypes)[number];

/** Sums the user's active rentals by the type of their current term. */
export function activeSums(
  store: Queries,
  userId: string,
  now: number,
): Readonly<Record<TermType, RentalSum>> {
  const isActive = `userId = ?1 AND ${isActiveAt("?2")}`;
  // Filters instead of GROUP BY, for which SQLite would sort the rentals.
  const inTerm = "FILTER (WHERE termUntil > ?2)";
  const onDemand = "FILTER (WHERE (termUntil > ?2) IS NOT TRUE)";
  const [row] = store.all(
    `SELECT count(*) ${inTerm} AS inTerm, sum(termCents) ${inTerm} AS termCents,
       count(hourlyCents) ${onDemand} AS onDemand, sum(hourlyCents) ${onDemand} AS hourlyCents, ${countUnpriced}
     FROM rentals WHERE ${isActive}`,
    userId,
    now,
  );
  const others = unpriced(store, row, isActive, userId, now);
  const counted = [
    { termType: "reserved", count: Number(row?.inTerm), costPerHourCents: Number(row?.termCents) },
    { termType: "on-demand", count: Number(row?.onDemand), costPerHourCents: Number(row?.hourlyCents) },
    ...others.map((rental) => ({ count: 1, ...rentalAt(rental, now) })),
  ];
  const sum = (type: TermType): RentalSum =>
    counted
      .filter(({ termType }) => termType === type)
      .reduce(
        (total, one) => ({
          count: total.count + one.count,
          costPerHourCents: total.costPerHourCents + one.costPerHourCents,
        }),
        { count: 0, costPerHourCents: 0 },
      );
  return { "on-demand": sum("on-demand"), reserved: sum("reserved") };
}

/** What all rentals of the user have cost until a moment, in cents. This equals the sum of `billedBefore`. */
export function billedCents(store: Queries, userId: string, moment: number): number {
  // SQLite drops the remainder of a division only for integers, and the driver passes every number as a float.
  const now = "CAST(?2 AS INTEGER)";
  const seconds = (from: string, to: string) => `max(0, (${to} - ${from}) / ${secondMs})`;
  // Null for a rental that never runs, which sum() leaves out.
  const running = seconds("runsFrom", "until");
  const inTerm = seconds("max(termFrom, runsFrom)", "min(termUntil, until)");
  const [row] = store.all(
    `SELECT CAST(sum(
         (${running} * hourlyCents + iif(termFrom IS NULL, 0, ${inTerm} * (termCents - hourlyCents))) / 3600
       ) AS REAL) AS cents, ${countUnpriced}
     FROM (
       SELECT *, iif(billedUntil < ${now}, billedUntil, ${now}) AS until
       FROM rentals WHERE userId = ?1
     )`,
    userId,
    moment,
  );
  return unpriced(store, row, "userId = ?", userId).reduce(
    (total, rental) => total + billedBefore(rental, moment).cents,
    Number(row?.cents ?? 0),
  );
}
