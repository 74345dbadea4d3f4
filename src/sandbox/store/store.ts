import { closeSync, existsSync, openSync, renameSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { DatabaseSyncInstance, StatementSyncInstance } from "@photostructure/sqlite";
import { reasonOf } from "../../core/errors.ts";
import { assertFile, makeFolderSync } from "../../core/files.ts";
import { asRecord } from "../../core/json.ts";
import type { StateProblem } from "../../core/sandbox.ts";
import { importSqlite } from "../packages.ts";
import { newestTables } from "./generated/tables.ts";
import type { Store } from "./queries.ts";
import { addInitialState, restoreInitialState, schemaVersion, tableNames, upgrades } from "./schema.ts";

/** The file that holds the sandbox's state cannot be used. The message names the file and the reason. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly file: string;
  /** Why the file cannot be used, without the name of the file. */
  readonly reason: string;
  /** `unavailable` if the file could not be opened, read or written; otherwise its contents cannot be used. */
  readonly problem: StateProblem;

  constructor(file: string, reason: string, problem: StateProblem, options?: ErrorOptions) {
    super(`Cannot use the sandbox's state in ${file}: ${reason}`, options);
    this.file = file;
    this.reason = reason;
    this.problem = problem;
  }
}

/** SQLite's messages for a damaged file and for a file that is not a database. Not all of these errors have a code. */
const damaged = /disk image is malformed|is not a database/;

/** Converts an error of SQLite or of the file system to a `StoreError`. */
export function storeError(file: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const reason = reasonOf(error);
  return new StoreError(file, reason, damaged.test(reason) ? "damaged" : "unavailable", { cause: error });
}

/** SQLite's codes for a file that is locked, read-only, on a full disk or on a disk that fails. */
const unavailableCodes: ReadonlySet<number> = new Set([5, 8, 10, 13]);

/** Whether SQLite could not read or write the file. The low byte of a code is its kind. */
const isUnavailable = (error: unknown): boolean => unavailableCodes.has(sqliteCode(error) & 0xff);

/** SQLite's code of an error; 0 if it has none. In Jest, the error is no instance of `Error`. */
const sqliteCode = (error: unknown): number => Number(asRecord(error).errcode ?? 0);

/** The suffixes of the files that SQLite keeps next to a database. */
const companions = ["-wal", "-shm"];

/**
 * Renames a state file that cannot be used, so that the next sandbox starts with a new file. Returns the new path of
 * the renamed file. No process may have the file open.
 */
export function setAside(file: string): string {
  let free = `${file}.backup`;
  for (let count = 2; existsSync(free); count++) free = `${file}.backup-${count}`;
  renameSync(file, free);
  for (const end of companions) if (existsSync(file + end)) renameSync(file + end, free + end);
  return free;
}

/** How long a process waits for another process to finish its write, in milliseconds. */
export const busyMs = 10_000;

/**
 * Opens the state in `file`, or in memory if `file` is ":memory:". A new file gets the initial state, as of `now`.
 * @throws MissingDependency when the SQLite package is missing
 * @throws StoreError when the file cannot be opened, is damaged, is another program's, or is of a newer version
 */
export async function openStore(file: string, now: number): Promise<Store> {
  const { DatabaseSync } = await importSqlite();
  try {
    if (file !== ":memory:") {
      makeFolderSync(dirname(resolve(file)), 0o700);
      for (const path of [file, ...companions.map((end) => file + end)]) assertFile(path);
      // Only this user can read a new file. SQLite creates its journal files with the same mode.
      closeSync(openSync(file, "a", 0o600));
    }
    const database = new DatabaseSync(file, { timeout: busyMs });
    try {
      const store = storeOn(database, file);
      createTables(database, store, file, now);
      await useWriteAheadLog(database);
      return store;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw storeError(file, error);
  }
}

/**
 * Turns on the write-ahead log. Retries, because changing the journal mode fails as "busy" while another process opens
 * the file, regardless of the timeout.
 */
async function useWriteAheadLog(database: DatabaseSyncInstance): Promise<void> {
  const deadline = performance.now() + busyMs;
  for (;;) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      // A crash of the process loses nothing. A crash of the machine may lose the last changes, which is acceptable
      // here.
      database.exec("PRAGMA synchronous = NORMAL");
      return;
    } catch (error) {
      const busy = sqliteCode(error) === 5;
      if (!busy || performance.now() > deadline) throw error;
      // The delay differs between processes, so that two processes that collided do not collide again.
      await wait(5 + ((performance.now() * 1000) % 20));
    }
  }
}

function storeOn(database: DatabaseSyncInstance, file: string): Store {
  const statements = new Map<string, StatementSyncInstance>();
  const prepared = (sql: string): StatementSyncInstance => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  /**
   * Throws a `StoreError` for damage in a part of the file that was not read when the file was opened, and if the file
   * cannot be read or written, for example because the disk is full.
   */
  const reporting = <Value>(work: () => Value): Value => {
    try {
      return work();
    } catch (error) {
      const reported = storeError(file, error);
      throw reported.problem === "damaged" || isUnavailable(error) ? reported : error;
    }
  };
  const store: Store = {
    all: (sql, ...values) => reporting(() => prepared(sql).all(...values)),
    run: (sql, ...values) => reporting(() => Number(prepared(sql).run(...values).lastInsertRowid)),
    write(work) {
      reporting(() => database.exec("BEGIN IMMEDIATE"));
      try {
        const result = work();
        reporting(() => database.exec("COMMIT"));
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    reset(now) {
      const [check] = store.all("PRAGMA quick_check(1)");
      const verdict = Object.values(Object(check))[0];
      if (verdict !== "ok") throw new StoreError(file, `it is damaged: ${verdict}`, "damaged");
      store.write(() => restoreInitialState(store, now));
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
  return store;
}

/** Creates the tables of a new file, upgrades those of an older version, and rejects every other database. */
function createTables(database: DatabaseSyncInstance, store: Store, file: string, now: number): void {
  const version = () => Number(store.all("PRAGMA user_version")[0]?.user_version);
  if (version() === schemaVersion) return;
  store.write(() => {
    // Read again: another process may have upgraded the file before this transaction began.
    const before = version();
    if (before > schemaVersion) {
      throw new StoreError(
        file,
        `it was written by a newer version of gpuctl (format ${before}; this version reads up to ${schemaVersion})`,
        "newer",
      );
    }
    if (before === schemaVersion) return;
    if (!isSandbox(store, before)) throw new StoreError(file, "it is another program's database", "foreign");
    if (before === 0) {
      database.exec(newestTables);
      addInitialState(store, now);
    } else {
      for (const upgrade of upgrades.slice(before)) database.exec(upgrade);
    }
    store.run(`PRAGMA user_version = ${schemaVersion}`);
  });
}

/**
 * Whether a database is the sandbox's: with version 0, it must be empty, and with any other version, it must have a
 * table that every version of the sandbox has.
 */
function isSandbox(store: Store, version: number): boolean {
  if (version > 0) return tableNames(store).includes("attachments");
  return store.all("SELECT 1 FROM sqlite_master LIMIT 1").length === 0;
}
