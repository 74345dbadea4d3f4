import { stamp } from "../clock.ts";
import { addKey, keys } from "../keys.ts";
import type { StoredUser } from "../tables/users.ts";
import type { Queries } from "./queries.ts";

/** Version 1: users, keys, rentals and volumes. */
const tables = `
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

/** Version 2: API keys get an id, a name and the creation time of their user; SSH public keys are added. */
const numberedKeys = `
  CREATE TABLE numberedKeys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    secret TEXT NOT NULL UNIQUE,
    userId TEXT NOT NULL,
    access TEXT NOT NULL,
    name TEXT NOT NULL,
    createdAt INTEGER NOT NULL
  ) STRICT;
  INSERT INTO numberedKeys (secret, userId, access, name, createdAt)
    SELECT secret, userId, access, access, coalesce(unixepoch(record ->> 'createdAt'), 0) * 1000
      FROM keys LEFT JOIN users ON users.id = keys.userId;
  DROP TABLE keys;
  ALTER TABLE numberedKeys RENAME TO keys;
  CREATE TABLE sshKeys (id INTEGER PRIMARY KEY AUTOINCREMENT, userId TEXT NOT NULL, record TEXT NOT NULL) STRICT;
`;

/** Version 3: the clock, faults, the request log, credits, and the counters that replace randomness. */
const controls = `
  CREATE TABLE clock (id INTEGER PRIMARY KEY CHECK (id = 1), offsetMs INTEGER NOT NULL, frozenAt INTEGER) STRICT;
  CREATE TABLE faults (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    operation TEXT NOT NULL,
    skip INTEGER NOT NULL,
    times INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE TABLE requests (number INTEGER PRIMARY KEY AUTOINCREMENT, record TEXT NOT NULL) STRICT;
  CREATE TABLE credits (userId TEXT PRIMARY KEY, cents INTEGER NOT NULL) STRICT;
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
`;

/** Version 4: the engines, which generate texts, pictures and speech instead of the sandbox. */
const engines = `
  CREATE TABLE engines (kind TEXT PRIMARY KEY, record TEXT NOT NULL) STRICT;
`;

/**
 * Version 5: a chat script, boot rules, and faults that count the calls that they affected. `times` is null if there is
 * no limit.
 */
const scripts = `
  CREATE TABLE chatReplies (place INTEGER PRIMARY KEY, uses INTEGER NOT NULL, record TEXT NOT NULL) STRICT;
  CREATE TABLE boots (id INTEGER PRIMARY KEY AUTOINCREMENT, hits INTEGER NOT NULL, record TEXT NOT NULL) STRICT;
  CREATE TABLE countedFaults (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    operation TEXT NOT NULL,
    skip INTEGER NOT NULL,
    times INTEGER,
    calls INTEGER NOT NULL,
    hits INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  INSERT INTO countedFaults (id, operation, skip, times, calls, hits, record)
    SELECT id, operation, skip, times, calls, max(0, calls - skip), record FROM faults;
  DROP TABLE faults;
  ALTER TABLE countedFaults RENAME TO faults;
`;

/**
 * Version 6: situations. `at` is when a situation was added, or when the current window of a rate limit began. `calls`
 * counts the calls in that window.
 */
const situations = `
  CREATE TABLE situations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hits INTEGER NOT NULL,
    at INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
`;

/**
 * Version 7: the prices of a rental, and the times for which they apply, so that sums do not have to read records.
 * `hourlyCents` is null if the prices are only in the record. The other columns are null if they do not apply.
 */
const prices = `
  ALTER TABLE rentals ADD COLUMN hourlyCents INTEGER;
  ALTER TABLE rentals ADD COLUMN runsFrom INTEGER;
  ALTER TABLE rentals ADD COLUMN billedUntil INTEGER;
  ALTER TABLE rentals ADD COLUMN termFrom INTEGER;
  ALTER TABLE rentals ADD COLUMN termUntil INTEGER;
  ALTER TABLE rentals ADD COLUMN termCents INTEGER;
  DROP INDEX rentalsByEnd;
  CREATE INDEX rentalPrices ON rentals
    (userId, endsAt, hourlyCents, runsFrom, billedUntil, termFrom, termUntil, termCents);
`;

/** The value of `endsAt` in the table `hourlySums` for rentals without a known end. */
const never = Number.MAX_SAFE_INTEGER;

/** The SQL condition for the sum to which a row of `rentals` belongs. */
const sumOf = (row: "new" | "old"): string =>
  `userId = ${row}.userId AND endsAt = ifnull(${row}.endsAt, ${never}) AND termUntil = ifnull(${row}.termUntil, 0)`;

const addNew = `
    INSERT OR IGNORE INTO hourlySums (userId, endsAt, termUntil)
      VALUES (new.userId, ifnull(new.endsAt, ${never}), ifnull(new.termUntil, 0));
    UPDATE hourlySums SET
      rentals = rentals + 1,
      priced = priced + (new.hourlyCents IS NOT NULL),
      hourlyCents = hourlyCents + ifnull(new.hourlyCents, 0),
      termCents = termCents + ifnull(new.termCents, 0)
      WHERE ${sumOf("new")};`;

const removeOld = `
    UPDATE hourlySums SET
      rentals = rentals - 1,
      priced = priced - (old.hourlyCents IS NOT NULL),
      hourlyCents = hourlyCents - ifnull(old.hourlyCents, 0),
      termCents = termCents - ifnull(old.termCents, 0)
      WHERE ${sumOf("old")};
    DELETE FROM hourlySums WHERE ${sumOf("old")} AND rentals = 0;`;

/**
 * Version 8: sums of prices. A row sums the rentals of one user that end together and whose terms end together. The
 * function `activeSums` adds up these few rows instead of all rentals. Triggers update the sums after every change to
 * the table `rentals`. `priced` counts the rentals whose prices are in columns.
 */
const sums = `
  CREATE TABLE hourlySums (
    userId TEXT NOT NULL,
    endsAt INTEGER NOT NULL,
    termUntil INTEGER NOT NULL,
    rentals INTEGER NOT NULL DEFAULT 0,
    priced INTEGER NOT NULL DEFAULT 0,
    hourlyCents INTEGER NOT NULL DEFAULT 0,
    termCents INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (userId, endsAt, termUntil)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO hourlySums
    SELECT userId, ifnull(endsAt, ${never}), ifnull(termUntil, 0), count(*), count(hourlyCents),
      ifnull(sum(hourlyCents), 0), ifnull(sum(termCents), 0)
    FROM rentals GROUP BY 1, 2, 3;
  CREATE TRIGGER rentalAdded AFTER INSERT ON rentals BEGIN${addNew}
  END;
  CREATE TRIGGER rentalRemoved AFTER DELETE ON rentals BEGIN${removeOld}
  END;
  CREATE TRIGGER rentalChanged AFTER UPDATE ON rentals BEGIN${removeOld}${addNew}
  END;
`;

/**
 * The statements that upgrade the tables from each version to the next. The first ones create the tables. `npm run
 * generate` runs them all, and writes the resulting tables to generated/tables.ts, from which a new file is created
 * faster.
 */
export const upgrades: readonly string[] = [
  tables,
  numberedKeys,
  controls,
  engines,
  scripts,
  situations,
  prices,
  sums,
];

export const schemaVersion = upgrades.length;

/**
 * The numbers before the first id of a rental and of a volume. The numbers differ, so that in a small sandbox no rental
 * has the id of a volume.
 */
export const idsBefore = { rentals: 1000, volumes: 500 };

export const builtInUserId = "sandbox-user";

/** Every table but SQLite's own, sorted by name. */
export const tableNames = (store: Queries): readonly string[] =>
  store
    .all(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .map(({ name }) => String(name));

/** Empties every table and restores the built-in user and keys; ids start over. */
export function restoreInitialState(store: Queries, now: number): void {
  for (const table of [...tableNames(store), "sqlite_sequence"]) store.run(`DELETE FROM ${table}`);
  addInitialState(store, now);
}

/** Adds the built-in user and keys to empty tables, and sets the first ids of rentals and volumes. */
export function addInitialState(store: Queries, now: number): void {
  for (const [table, id] of Object.entries(idsBefore)) {
    store.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, id);
  }
  addUser(store, builtInUserId, now);
  for (const [name, secret] of Object.entries(keys)) {
    addKey(store, builtInUserId, { secret, access: name, name, createdAt: now });
  }
}

/** Adds a user without keys. */
export function addUser(store: Queries, userId: string, now: number): void {
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
  store.run("INSERT INTO users (id, record) VALUES (?, ?)", userId, JSON.stringify(user));
}
