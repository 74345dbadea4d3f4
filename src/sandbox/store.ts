import { pid } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { optional } from "./missing-dependency.ts";
import type { Queries } from "./queries.ts";
import { restoreInitialState, schemaVersion, tableNames, upgrades } from "./schema.ts";
import { StoreError } from "./store-error.ts";
import { prepareFile } from "./store-file.ts";

/** The sandbox's state, shared by every process that opened the same file. */
export interface Store extends Queries {
  /** Runs `work` as one transaction: all of it is kept, or nothing when it throws. */
  write<Result>(work: () => Result): Result;
  /** Restores the initial state, as of `now`. */
  reset(now: number): void;
  close(): void;
}

/** How long a process waits for another one to end its write, in milliseconds. */
export const busyMs = 10_000;

/**
 * Opens the state in `file`, or in memory for ":memory:"; a new one is filled with the initial state, as of `now`.
 * @throws MissingDependency without the package that holds SQLite
 * @throws StoreError when the file cannot be opened, is none of ours, or was written by a newer version
 */
export async function openStore(file: string, now: number): Promise<Store> {
  const sqlite = "@photostructure/sqlite";
  const { DatabaseSync } = await optional(sqlite, () => import("@photostructure/sqlite"));
  try {
    if (file !== ":memory:") prepareFile(file);
    const database = new DatabaseSync(file, { timeout: busyMs });
    try {
      const store = storeOn(database);
      makeTables(store, file, now);
      await useWriteAheadLog(database);
      return store;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(file, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** Changing the journal answers "busy" at once, whatever the time-out, when another process opens the file too. */
async function useWriteAheadLog(database: DatabaseSyncInstance): Promise<void> {
  const deadline = performance.now() + busyMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      // A crash of the process loses nothing; one of the machine may lose the last requests, which nobody pays for.
      database.exec("PRAGMA synchronous = NORMAL");
      return;
    } catch (error) {
      const busy = error instanceof Error && "errcode" in error && error.errcode === 5;
      if (!busy || performance.now() > deadline) throw error;
      // Processes that were busy at once wait for different times.
      await wait(5 + ((pid * attempt) % 20));
    }
  }
}

function storeOn(database: DatabaseSyncInstance): Store {
  const statements = new Map<string, StatementSyncInstance>();
  const prepared = (sql: string): StatementSyncInstance => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const store: Store = {
    all: (sql, ...values) => prepared(sql).all(...values),
    run: (sql, ...values) => Number(prepared(sql).run(...values).lastInsertRowid),
    write(work) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    reset: (now) => store.write(() => restoreInitialState(store, now)),
    close() {
      if (database.isOpen) database.close();
    },
  };
  return store;
}

/** Makes the tables of a new file, brings those of an older version up, and leaves a file alone that is none of ours. */
function makeTables(store: Store, file: string, now: number): void {
  const version = () => Number(store.all("PRAGMA user_version")[0]?.user_version);
  if (version() === schemaVersion) return;
  store.write(() => {
    if (version() > schemaVersion) {
      throw new StoreError(file, `a newer version wrote it (${version()}; this one knows ${schemaVersion})`);
    }
    const before = version();
    if (before === schemaVersion) return;
    if (isForeign(store, before)) throw new StoreError(file, "it is a database of something else");
    for (const upgrade of upgrades.slice(before)) {
      for (const statement of upgrade.split(";").filter((text) => text.trim() !== "")) store.run(statement);
    }
    if (before === 0) restoreInitialState(store, now);
    store.run(`PRAGMA user_version = ${schemaVersion}`);
  });
}

/** A file of ours has no version while it is empty, and one once it has tables; this one was in the first version. */
function isForeign(store: Store, version: number): boolean {
  if (version > 0) return !tableNames(store).includes("attachments");
  return store.all("SELECT 1 FROM sqlite_master LIMIT 1").length > 0;
}
