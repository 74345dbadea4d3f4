import type { termTypes } from "../../contract/enums.ts";
import { secondMs } from "../clock.ts";
import { billedBefore, rentalAt, type StoredRental } from "../rentals/lifecycle.ts";
import type { Queries, Row } from "../store/queries.ts";
import { isActiveAt } from "./rentals.ts";

/** Parses rentals whose prices are only in their records, not in columns. */
const unpriced = (rows: readonly Row[]): readonly StoredRental[] =>
  rows.map(({ record }) => JSON.parse(String(record)));

/** A number of rentals, and what they cost per hour together, in cents. */
export type RentalSum = Readonly<Record<"count" | "costPerHourCents", number>>;

type TermType = (typeof termTypes)[number];

/** Sums the user's active rentals by the type of their current term. */
export function activeSums(
  store: Queries,
  userId: string,
  now: number,
): Readonly<Record<TermType, RentalSum>> {
  const active = `userId = ?1 AND ${isActiveAt("?2")}`;
  const inTerm = "ifnull(termUntil > ?2, 0)";
  const rows = store.all(
    `SELECT ${inTerm} AS inTerm, count(*) AS count, sum(iif(${inTerm}, termCents, hourlyCents)) AS cents
     FROM rentals WHERE ${active} AND hourlyCents IS NOT NULL GROUP BY inTerm`,
    userId,
    now,
  );
  const others = store.all(`SELECT record FROM rentals WHERE ${active} AND hourlyCents IS NULL`, userId, now);
  const counted = [
    ...rows.map(({ inTerm: isReserved, count, cents }) => ({
      termType: isReserved === 1 ? "reserved" : "on-demand",
      count: Number(count),
      costPerHourCents: Number(cents),
    })),
    ...unpriced(others).map((rental) => ({ count: 1, ...rentalAt(rental, now) })),
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
  const until = "CAST(?2 AS INTEGER)";
  const seconds = (from: string, to: string) => `ifnull(max(0, (${to} - ${from}) / ${secondMs}), 0)`;
  const [row] = store.all(
    `SELECT CAST(sum((inTerm * ifnull(termCents, 0) + (running - inTerm) * hourlyCents) / 3600) AS REAL) AS cents
     FROM (
       SELECT hourlyCents, termCents, ${seconds("runsFrom", "until")} AS running,
         ${seconds("max(termFrom, runsFrom)", "min(termUntil, until)")} AS inTerm
       FROM (
         SELECT *, min(${until}, ifnull(billedUntil, ${until})) AS until
         FROM rentals WHERE userId = ?1 AND hourlyCents IS NOT NULL
       )
     )`,
    userId,
    moment,
  );
  const others = store.all("SELECT record FROM rentals WHERE userId = ? AND hourlyCents IS NULL", userId);
  return unpriced(others).reduce(
    (total, rental) => total + billedBefore(rental, moment).cents,
    Number(row?.cents ?? 0),
  );
}
