import type { Id } from "../../contract/shared.ts";
import { endOf, type RentalType, type StoredRental } from "../rentals/lifecycle.ts";
import type { Queries, Row } from "../store/queries.ts";
import { numberOf } from "./numbers.ts";

export interface NumberedRental {
  readonly id: number;
  readonly rental: StoredRental;
}

const numbered = (row: Row): NumberedRental => ({
  id: Number(row.id),
  rental: JSON.parse(String(row.record)),
});

/** The SQL condition for rentals that have not ended. `now` is the parameter with the time, such as `?`. */
export const isActiveAt = (now: string): string => `(endsAt IS NULL OR endsAt > ${now})`;

const ofUser = "SELECT id, record FROM rentals WHERE userId = ?";

/** Adds a rental with the given id, or the next free one. */
export function addRental(store: Queries, userId: string, rental: StoredRental, id?: number): number {
  return store.run(
    "INSERT INTO rentals (id, userId, rentalType, endsAt, record) VALUES (?, ?, ?, ?, ?)",
    id ?? null,
    userId,
    rental.rentalType,
    endOf(rental),
    JSON.stringify(rental),
  );
}

export function saveRental(store: Queries, { id, rental }: NumberedRental): void {
  const record = JSON.stringify(rental);
  store.run("UPDATE rentals SET endsAt = ?, record = ? WHERE id = ?", endOf(rental), record, id);
}

export function findRental(store: Queries, userId: string, id: Id): NumberedRental | undefined {
  const [row] = store.all(`${ofUser} AND id = ?`, userId, numberOf(id) ?? null);
  return row && numbered(row);
}

/** The user's rentals that have not ended, of one type or both. */
export function activeRentals(
  store: Queries,
  userId: string,
  now: number,
  type?: RentalType,
): readonly NumberedRental[] {
  return store
    .all(
      `${ofUser} AND ${isActiveAt("?")} AND rentalType = ifnull(?, rentalType) ORDER BY id`,
      userId,
      now,
      type ?? null,
    )
    .map(numbered);
}

export const pastRentals = (store: Queries, userId: string, now: number): readonly NumberedRental[] =>
  store.all(`${ofUser} AND endsAt <= ? ORDER BY id`, userId, now).map(numbered);

export const allRentals = (store: Queries, userId: string): readonly NumberedRental[] =>
  store.all(`${ofUser} ORDER BY id`, userId).map(numbered);
