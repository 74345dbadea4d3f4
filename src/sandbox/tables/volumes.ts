import type { CheckedInputOf } from "../../contract/index.ts";
import type { Id } from "../../contract/shared.ts";
import type { Queries, Row } from "../store/queries.ts";
import { numberOf } from "./numbers.ts";
import { isActiveAt } from "./rentals.ts";

/** A volume as stored: the fields it was created with. */
type StoredVolume = Omit<CheckedInputOf<"createStorageVolume">, "rentalIds"> & { readonly createdAt: string };

export type NumberedVolume = StoredVolume & { readonly id: number };

const numbered = (row: Row): NumberedVolume => ({ id: Number(row.id), ...JSON.parse(String(row.record)) });

/** Adds a volume with the given id, or the next free one. */
export function addVolume(store: Queries, userId: string, volume: StoredVolume, id?: number): number {
  const sql = "INSERT INTO volumes (id, userId, record) VALUES (?, ?, ?)";
  return store.run(sql, id ?? null, userId, JSON.stringify(volume));
}

export function findVolume(store: Queries, userId: string, id: Id): NumberedVolume | undefined {
  const sql = "SELECT id, record FROM volumes WHERE userId = ? AND id = ?";
  const [row] = store.all(sql, userId, numberOf(id) ?? null);
  return row && numbered(row);
}

export const listVolumes = (store: Queries, userId: string): readonly NumberedVolume[] =>
  store.all("SELECT id, record FROM volumes WHERE userId = ? ORDER BY id", userId).map(numbered);

/** Attaches a volume to rentals. Attaching it again changes nothing. */
export function attach(store: Queries, volumeId: number, rentalIds: readonly number[]): void {
  for (const rentalId of rentalIds) {
    store.run("INSERT OR IGNORE INTO attachments (volumeId, rentalId) VALUES (?, ?)", volumeId, rentalId);
  }
}

/** The active rentals that a volume is attached to. */
export const attachedRentals = (store: Queries, volumeId: number, now: number): number[] =>
  store
    .all(
      `SELECT rentalId FROM attachments JOIN rentals ON rentals.id = rentalId
       WHERE volumeId = ? AND ${isActiveAt("?")} ORDER BY rentalId`,
      volumeId,
      now,
    )
    .map((row) => Number(row.rentalId));

export const attachedVolumes = (store: Queries, rentalId: number): number[] =>
  store
    .all("SELECT volumeId FROM attachments WHERE rentalId = ? ORDER BY volumeId", rentalId)
    .map((row) => Number(row.volumeId));
