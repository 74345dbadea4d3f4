import type * as z from "zod";
import type { user } from "../../contract/user.ts";
import type { Queries } from "../queries.ts";

export type StoredUser = Omit<z.output<typeof user>, "id">;

/** A user's record, or nothing when the user was deleted. */
export function findUser(store: Queries, userId: string): StoredUser | undefined {
  const [row] = store.all("SELECT record FROM users WHERE id = ? AND deletedAt IS NULL", userId);
  return row && JSON.parse(String(row.record));
}

export function saveUser(store: Queries, userId: string, user: StoredUser): void {
  store.run("UPDATE users SET record = ? WHERE id = ?", JSON.stringify(user), userId);
}

/** Deletes a user; the user's keys open nothing any more. */
export function removeUser(store: Queries, userId: string, now: number): void {
  store.run("UPDATE users SET deletedAt = ? WHERE id = ?", now, userId);
  store.run("DELETE FROM keys WHERE userId = ?", userId);
}
