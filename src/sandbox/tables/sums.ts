import type { termTypes } from "../../contract/enums.ts";
import { secondMs } from "../clock.ts";
import { billedBefore, rentalAt, type StoredRental } from "../rentals/lifecycle.ts";
import type { Queries, Value } from "../store/queries.ts";
import { isActiveAt } from "./rentals.ts";

/** Reads the rentals whose prices are only in their records. If their number is 0, as it usually is, sends no query. */
const unpriced = (
  store: Queries,
  number: number,
  condition: string,
  ...values: readonly Value[]
): readonly StoredRental[] =>
  number === 0
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
  const rows = store.all(
    `SELECT termUntil > ?2 AS inTerm, sum(priced) AS count, sum(iif(termUntil > ?2, termCents, hourlyCents)) AS cents,
       sum(rentals - priced) AS unpriced
     FROM hourlySums WHERE userId = ?1 AND endsAt > ?2 GROUP BY inTerm`,
    userId,
    now,
  );
  const count = rows.reduce((total, row) => total + Number(row.unpriced), 0);
  const others = unpriced(store, count, `userId = ? AND ${isActiveAt("?")}`, userId, now);
  const counted = [
    ...rows.map((row) => ({
      termType: row.inTerm === 1 ? "reserved" : "on-demand",
      count: Number(row.count),
      costPerHourCents: Number(row.cents),
    })),
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
  // Null for a rental that never runs. sum() ignores nulls.
  const running = seconds("runsFrom", "until");
  const inTerm = seconds("max(termFrom, runsFrom)", "min(termUntil, until)");
  const [row] = store.all(
    `SELECT CAST(sum(
         (${running} * hourlyCents + iif(termFrom IS NULL, 0, ${inTerm} * (termCents - hourlyCents))) / 3600
       ) AS REAL) AS cents,
       count(*) FILTER (WHERE hourlyCents IS NULL) AS unpriced
     FROM (
       SELECT *, iif(billedUntil < ${now}, billedUntil, ${now}) AS until
       FROM rentals WHERE userId = ?1
     )`,
    userId,
    moment,
  );
  return unpriced(store, Number(row?.unpriced), "userId = ?", userId).reduce(
    (total, rental) => total + billedBefore(rental, moment).cents,
    Number(row?.cents ?? 0),
  );
}
