import type { CheckedInputOf } from "../../contract/index.ts";
import type { Id } from "../../contract/shared.ts";
import type { Queries, Row } from "../store/queries.ts";
import { numberOf } from "./numbers.ts";
import { isActiveAt, type Owner } from "./rentals.ts";

/** A volume as stored: the input that created it, without `rentalIds`, and the time of its creation. */
type StoredVolume = Omit<CheckedInputOf<"createStorageVolume">, "rentalIds"> & { readonly createdAt: string };

export type NumberedVolume = StoredVolume & { readonly id: number };

const numbered = (row: Row): NumberedVolume => ({ id: Number(row.id), ...JSON.parse(String(row.record)) });

/** Adds a volume with the given id, or the next free one. Returns the id. */
export function addVolume(store: Queries, userId: string, volume: StoredVolume, id?: number): number {
  const sql = "INSERT INTO volumes (id, userId, record) VALUES (?, ?, ?)";
  return store.run(sql, id ?? null, userId, JSON.stringify(volume));
}

export function findVolume(store: Queries, userId: string, id: Id): NumberedVolume | undefined {
  const sql = "SELECT id, record FROM volumes WHERE userId = ? AND id = ?";
  const [row] = store.all(sql, userId, numberOf(id) ?? null);
  return row && numbered(row);
}

export const listVolumes = (store: Queries, userId: Owner): readonly NumberedVolume[] =>
  store
    .all("SELECT id, record FROM volumes WHERE userId = ifnull(?, userId) ORDER BY id", userId ?? null)
    .map(numbered);

/** Attaches a volume to rentals. Attaching it again changes nothing. */
export function attach(store: Queries, volumeId: number, rentalIds: readonly number[]): void {
  for (const rentalId of rentalIds) {
    store.run("INSERT OR IGNORE INTO attachments (volumeId, rentalId) VALUES (?, ?)", volumeId, rentalId);
  }
}

/** Returns a function that finds the active rentals to which a volume is attached. `volumes` must be sorted by id. */
export const attachedRentals = (store: Queries, volumes: readonly Numbered[], now: number): Attachments =>
  attachments(volumes, (first, last) =>
    store.all(
      `SELECT volumeId AS id, rentalId AS other FROM attachments JOIN rentals ON rentals.id = rentalId
       WHERE volumeId BETWEEN ? AND ? AND ${isActiveAt("?")} ORDER BY rentalId`,
      first,
      last,
      now,
    ),
  );

/** Returns a function that finds the volumes that are attached to a rental. `rentals` must be sorted by id. */
export const attachedVolumes = (store: Queries, rentals: readonly Numbered[]): Attachments =>
  attachments(rentals, (first, last) =>
    store.all(
      `SELECT rentalId AS id, volumeId AS other FROM attachments
       WHERE rentalId BETWEEN ? AND ? ORDER BY volumeId`,
      first,
      last,
    ),
  );

type Numbered = { readonly id: number };
type Attachments = (id: number) => number[];

/** Reads the attachments of all items with one query, which covers all ids from the first to the last item. */
function attachments(
  items: readonly Numbered[],
  read: (first: number, last: number) => readonly Row[],
): Attachments {
  const [first, last] = [items[0], items.at(-1)];
  const found = new Map<number, number[]>();
  for (const { id, other } of first && last ? read(first.id, last.id) : []) {
    const others = found.get(Number(id));
    if (others) others.push(Number(other));
    else found.set(Number(id), [Number(other)]);
  }
  return (id) => found.get(id) ?? [];
}
