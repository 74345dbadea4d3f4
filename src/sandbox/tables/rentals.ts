import type { Id } from "../../contract/shared.ts";
import { billingEnd, endOf, type RentalType, runningFrom, type StoredRental } from "../rentals/lifecycle.ts";
import { hourlyCents } from "../rentals/prices.ts";
import type { Queries, Row, Slice } from "../store/queries.ts";
import { numberOf } from "./numbers.ts";

export interface NumberedRental {
  readonly id: number;
  readonly rental: StoredRental;
}

/** The id of a rental, and its record in the form in which it is stored: as JSON. */
export interface RentalRow {
  readonly id: number;
  readonly record: string;
}

const rowOf = ({ id, record }: Row): RentalRow => ({ id: Number(id), record: String(record) });

export const rentalOf = ({ record }: RentalRow): StoredRental => JSON.parse(record);

const numbered = (row: RentalRow): NumberedRental => ({ id: row.id, rental: rentalOf(row) });

/** The SQL condition for rentals that have not ended. `now` is the SQL parameter for the time, such as `?`. */
export const isActiveAt = (now: string): string => `(endsAt IS NULL OR endsAt > ${now})`;

/** The user whose records are read; undefined for the records of all users. */
export type Owner = string | undefined;

/**
 * Selects the rentals of a user, or of all users. The `+` tells SQLite not to use the index on `userId`, but to read
 * the whole table in the order of ids. With the index, it would have to sort the user's rows, which are most of the
 * table.
 */
const ofUser = "SELECT id, record FROM rentals WHERE +userId = ifnull(?, userId)";

/**
 * The columns from which SQLite sums the prices and costs of rentals. They are null for a rental with several reserved
 * terms, whose price and cost are computed from its record.
 */
const priceColumns = [
  "hourlyCents",
  "runsFrom",
  "billedUntil",
  "termFrom",
  "termUntil",
  "termCents",
] as const;

/** The values of `priceColumns` for a rental. */
function priceValues(rental: StoredRental): readonly (number | null)[] {
  const [term, ...more] = rental.terms;
  if (more.length > 0) return priceColumns.map(() => null);
  const from = runningFrom(rental);
  return [
    hourlyCents(rental),
    Number.isFinite(from) ? from : null,
    billingEnd(rental),
    term?.from ?? null,
    term?.until ?? null,
    term?.costPerHourCents ?? null,
  ];
}

/** Adds a rental with the given id, or the next free one. */
export function addRental(store: Queries, userId: string, rental: StoredRental, id?: number): number {
  return store.run(
    `INSERT INTO rentals (id, userId, rentalType, endsAt, record, ${priceColumns.join(", ")})
     VALUES (?, ?, ?, ?, ?${", ?".repeat(priceColumns.length)})`,
    id ?? null,
    userId,
    rental.rentalType,
    endOf(rental),
    JSON.stringify(rental),
    ...priceValues(rental),
  );
}

export function saveRental(store: Queries, { id, rental }: NumberedRental): void {
  store.run(
    `UPDATE rentals SET endsAt = ?, record = ?, ${priceColumns.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`,
    endOf(rental),
    JSON.stringify(rental),
    ...priceValues(rental),
    id,
  );
}

export function findRental(store: Queries, userId: Owner, id: Id): NumberedRental | undefined {
  const [row] = store.all(
    "SELECT id, record FROM rentals WHERE userId = ifnull(?, userId) AND id = ?",
    userId ?? null,
    numberOf(id) ?? null,
  );
  return row && numbered(rowOf(row));
}

const whole: Slice = { after: 0, limit: -1 };
const sliced = "AND id > ? ORDER BY id LIMIT ?";

/** The rentals that have not ended: those of one type, or of both types if `type` is undefined. */
export const activeRows = (
  store: Queries,
  userId: Owner,
  now: number,
  type?: RentalType,
  { after, limit } = whole,
): readonly RentalRow[] =>
  store
    .all(
      `${ofUser} AND ${isActiveAt("?")} AND rentalType = ifnull(?, rentalType) ${sliced}`,
      userId ?? null,
      now,
      type ?? null,
      after,
      limit,
    )
    .map(rowOf);

export const activeRentals = (...query: Parameters<typeof activeRows>): readonly NumberedRental[] =>
  activeRows(...query).map(numbered);

export const pastRows = (
  store: Queries,
  userId: Owner,
  now: number,
  { after, limit } = whole,
): readonly RentalRow[] =>
  store.all(`${ofUser} AND endsAt <= ? ${sliced}`, userId ?? null, now, after, limit).map(rowOf);

export const pastRentals = (...query: Parameters<typeof pastRows>): readonly NumberedRental[] =>
  pastRows(...query).map(numbered);

export const allRentals = (
  store: Queries,
  userId: Owner,
  { after, limit } = whole,
): readonly NumberedRental[] =>
  store
    .all(`${ofUser} ${sliced}`, userId ?? null, after, limit)
    .map(rowOf)
    .map(numbered);
