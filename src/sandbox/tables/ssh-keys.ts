import type { Queries, Row } from "../queries.ts";

interface StoredSshKey {
  readonly name: string;
  readonly publicKey: string;
  readonly createdAt: string;
}

export interface NumberedSshKey extends StoredSshKey {
  readonly id: number;
}

const numbered = (row: Row): NumberedSshKey => ({ id: Number(row.id), ...JSON.parse(String(row.record)) });

export const addSshKey = (store: Queries, userId: string, key: StoredSshKey): number =>
  store.run("INSERT INTO sshKeys (userId, record) VALUES (?, ?)", userId, JSON.stringify(key));

export const listSshKeys = (store: Queries, userId: string): readonly NumberedSshKey[] =>
  store.all("SELECT id, record FROM sshKeys WHERE userId = ? ORDER BY id", userId).map(numbered);

/** Removes a key; false when the user has none of this id. */
export function removeSshKey(store: Queries, userId: string, id: number): boolean {
  const known = store.all("SELECT 1 FROM sshKeys WHERE userId = ? AND id = ?", userId, id).length > 0;
  if (known) store.run("DELETE FROM sshKeys WHERE id = ?", id);
  return known;
}
