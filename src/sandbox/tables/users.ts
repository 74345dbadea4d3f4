import type * as z from "zod";
import type { user } from "../../contract/user.ts";
import type { ServedInputOf } from "../assumed/index.ts";
import { stamp } from "../clock.ts";
import type { Queries } from "../store/queries.ts";

export type StoredUser = Omit<z.output<typeof user>, "id">;

/** A user's record; undefined if the user does not exist or was deleted. */
export function findUser(store: Queries, userId: string): StoredUser | undefined {
  const [row] = store.all("SELECT record FROM users WHERE id = ? AND deletedAt IS NULL", userId);
  return row && JSON.parse(String(row.record));
}

/** The IDs of the users that were not deleted. */
export const userIds = (store: Queries): readonly string[] =>
  store.all("SELECT id FROM users WHERE deletedAt IS NULL ORDER BY id").map(({ id }) => String(id));

export function saveUser(store: Queries, userId: string, user: StoredUser): void {
  store.run("UPDATE users SET record = ? WHERE id = ?", JSON.stringify(user), userId);
}

/** Deletes a user; the user's keys stop working. */
export function removeUser(store: Queries, userId: string, now: number): void {
  store.run("UPDATE users SET deletedAt = ? WHERE id = ?", now, userId);
  store.run("DELETE FROM keys WHERE userId = ?", userId);
}

/** The credit of a new account, in cents: $10,000. */
export const initialCreditCents = 1_000_000;

/** A user's credit in cents, from which the costs of rentals and pictures are not yet subtracted. */
export function creditOf(store: Queries, userId: string): number {
  const [row] = store.all("SELECT cents FROM credits WHERE userId = ?", userId);
  return row ? Number(row.cents) : initialCreditCents;
}

export function saveCredit(store: Queries, userId: string, cents: number): void {
  store.run("INSERT OR REPLACE INTO credits (userId, cents) VALUES (?, ?)", userId, cents);
}

export type NumberedSshKey = ServedInputOf<"createSshKey"> & {
  readonly id: number;
  readonly createdAt: string;
};

/** Adds an SSH key that is created at `now`. Removes whitespace around the public key. */
export function addSshKey(
  store: Queries,
  userId: string,
  input: ServedInputOf<"createSshKey">,
  now: number,
): NumberedSshKey {
  const key = { ...input, publicKey: input.publicKey.trim(), createdAt: stamp(now) };
  const record = JSON.stringify(key);
  return { id: store.run("INSERT INTO sshKeys (userId, record) VALUES (?, ?)", userId, record), ...key };
}

export const listSshKeys = (store: Queries, userId: string): readonly NumberedSshKey[] =>
  store
    .all("SELECT id, record FROM sshKeys WHERE userId = ? ORDER BY id", userId)
    .map((row) => ({ id: Number(row.id), ...JSON.parse(String(row.record)) }));

/** Removes an SSH key. Returns false if the user has no key with this id. */
export function removeSshKey(store: Queries, userId: string, id: number): boolean {
  const known = store.all("SELECT 1 FROM sshKeys WHERE userId = ? AND id = ?", userId, id).length > 0;
  if (known) store.run("DELETE FROM sshKeys WHERE id = ?", id);
  return known;
}
