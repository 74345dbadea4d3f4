import { sandboxKeyPrefix, sandboxKeys } from "../core/sandbox.ts";
import type { Queries, Row } from "./store/queries.ts";

export { sandboxKeyPrefix as keyPrefix, sandboxKeys as keys };

/**
 * Returns the owner, the access and the name of the key in an Authorization header. Returns undefined if the key is
 * missing, malformed, unknown or revoked.
 */
export function callerOf(store: Queries, authorization: string | undefined) {
  const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (secret === undefined) return undefined;
  const [row] = store.all(
    "SELECT userId, access, name FROM keys WHERE secret = ? AND access != 'revoked'",
    secret,
  );
  return row && { userId: String(row.userId), mayWrite: row.access === "full", keyName: String(row.name) };
}

/** Whether a secret is one of the sandbox's keys, revoked or not. */
export const isKey = (store: Queries, secret: string): boolean =>
  store.all("SELECT 1 FROM keys WHERE secret = ?", secret).length > 0;

export const secretsOf = (store: Queries): readonly string[] =>
  store.all("SELECT secret FROM keys").map(({ secret }) => String(secret));

/** The names of the keys that are not revoked. */
export const keyNames = (store: Queries): readonly string[] =>
  store
    .all("SELECT DISTINCT name FROM keys WHERE access != 'revoked' ORDER BY id")
    .map(({ name }) => String(name));

export interface StoredKey {
  /** The value that callers send. */
  readonly secret: string;
  /** `full` or `revoked`; anything else is read-only. */
  readonly access: string;
  readonly name: string;
  readonly createdAt: number;
}

export interface NumberedKey extends StoredKey {
  readonly id: number;
}

const numbered = (row: Row): NumberedKey => ({
  id: Number(row.id),
  secret: String(row.secret),
  access: String(row.access),
  name: String(row.name),
  createdAt: Number(row.createdAt),
});

export function addKey(store: Queries, userId: string, key: StoredKey): number {
  const sql = "INSERT INTO keys (secret, userId, access, name, createdAt) VALUES (?, ?, ?, ?, ?)";
  return store.run(sql, key.secret, userId, key.access, key.name, key.createdAt);
}

export const listKeys = (store: Queries, userId: string): readonly NumberedKey[] =>
  store.all("SELECT * FROM keys WHERE userId = ? AND access != 'revoked' ORDER BY id", userId).map(numbered);

export function findKey(store: Queries, userId: string, id: number): NumberedKey | undefined {
  const [row] = store.all(
    "SELECT * FROM keys WHERE userId = ? AND id = ? AND access != 'revoked'",
    userId,
    id,
  );
  return row && numbered(row);
}

/** Revokes a key. It stays in the table, so that its value is never issued again and is still removed from the log. */
export function revokeKey(store: Queries, id: number): void {
  store.run("UPDATE keys SET access = 'revoked' WHERE id = ?", id);
}
