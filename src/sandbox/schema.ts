import { stamp } from "./clock.ts";
import { keys } from "./keys.ts";
import type { Queries } from "./queries.ts";
import type { StoredUser } from "./tables/users.ts";

/** Raised whenever the tables change. */
export const schemaVersion = 1;

export const tables = `
  CREATE TABLE users (id TEXT PRIMARY KEY, record TEXT NOT NULL, deletedAt INTEGER) STRICT;
  CREATE TABLE keys (secret TEXT PRIMARY KEY, userId TEXT NOT NULL, access TEXT NOT NULL) STRICT;
  CREATE TABLE rentals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    userId TEXT NOT NULL,
    rentalType TEXT NOT NULL,
    endsAt INTEGER,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX rentalsByEnd ON rentals (userId, endsAt);
  CREATE TABLE volumes (id INTEGER PRIMARY KEY AUTOINCREMENT, userId TEXT NOT NULL, record TEXT NOT NULL) STRICT;
  CREATE INDEX volumesByUser ON volumes (userId);
  CREATE TABLE attachments (
    volumeId INTEGER NOT NULL,
    rentalId INTEGER NOT NULL,
    PRIMARY KEY (volumeId, rentalId)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attachmentsByRental ON attachments (rentalId);
`;

/** Ids count up from here, so that a rental's is never a volume's in a small sandbox. */
const idsBefore = { rentals: 1000, volumes: 500 };

const firstUser = "sandbox-user";

/** Empties every table and puts the first user and the keys back; ids start again. */
export function restoreInitialState(store: Queries, now: number): void {
  for (const table of ["users", "keys", "rentals", "volumes", "attachments", "sqlite_sequence"]) {
    store.run(`DELETE FROM ${table}`);
  }
  for (const [table, id] of Object.entries(idsBefore)) {
    store.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, id);
  }
  const user: StoredUser = {
    email: "sandbox@example.com",
    name: "Sandbox User",
    picture: "https://example.com/sandbox.png",
    provider: "sandbox",
    emailVerified: true,
    isActive: true,
    createdAt: stamp(now),
    onboardedAt: stamp(now),
    onboardedFor: "testing",
    referralCode: "SANDBOX",
  };
  store.run("INSERT INTO users (id, record) VALUES (?, ?)", firstUser, JSON.stringify(user));
  for (const [name, secret] of Object.entries(keys)) {
    store.run("INSERT INTO keys (secret, userId, access) VALUES (?, ?, ?)", secret, firstUser, name);
  }
}
