import type { Queries, Row } from "../queries.ts";

export interface StoredKey {
  /** The value that opens the service. */
  readonly secret: string;
  /** `full`; `revoked` opens nothing, and anything else may only read. */
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

export const addKey = (
  store: Queries,
  userId: string,
  { secret, access, name, createdAt }: StoredKey,
): number =>
  store.run(
    "INSERT INTO keys (secret, userId, access, name, createdAt) VALUES (?, ?, ?, ?, ?)",
    secret,
    userId,
    access,
    name,
    createdAt,
  );

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

/** A revoked key opens nothing and is listed no more, but it is still known for what it was. */
export function revokeKey(store: Queries, id: number): void {
  store.run("UPDATE keys SET access = 'revoked' WHERE id = ?", id);
}
