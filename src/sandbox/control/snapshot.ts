import { type Clock, latestMs } from "../clock.ts";
import { keys } from "../keys.ts";
import type { Row } from "../queries.ts";
import { rentalRecord } from "../rental-record.ts";
import { firstUser, schemaVersion, tableNames } from "../schema.ts";
import type { Store } from "../store.ts";
import { saveClock } from "../tables/clock.ts";
import { listFaults } from "../tables/faults.ts";
import { listKeys } from "../tables/keys.ts";
import { allRentals } from "../tables/rentals.ts";
import { findUser } from "../tables/users.ts";
import { listVolumes } from "../tables/volumes.ts";
import type { ClockShown } from "./clock.ts";
import { ControlRefused } from "./refused.ts";
import { canonical, changed, readSnapshot, type Snapshot, sealed } from "./snapshot-document.ts";

export type { Snapshot } from "./snapshot-document.ts";

/** Tables that a snapshot leaves out: one is a log, the other is told as a moment. */
const apart: ReadonlySet<string> = new Set(["requests", "clock"]);
const sequences = "sqlite_sequence";

const kept = (store: Store): readonly string[] => [
  ...tableNames(store).filter((name) => !apart.has(name)),
  sequences,
];

export function takeSnapshot(store: Store, clock: () => ClockShown): Snapshot {
  return store.write(() => {
    const { now, frozen } = clock();
    return sealed({
      gpuctlSandbox: "snapshot",
      version: schemaVersion,
      clock: { now, frozen },
      tables: tablesOf(store),
    });
  });
}

const tablesOf = (store: Store): Snapshot["tables"] =>
  Object.fromEntries(kept(store).map((name) => [name, rowsOf(store, name)]));

function rowsOf(store: Store, table: string): Row[] {
  const rows = [...store.all(`SELECT * FROM ${table}`)];
  return table === sequences ? rows.filter(({ name }) => !apart.has(String(name))) : rows;
}

/**
 * Puts a snapshot in the place of the whole state, as one transaction; a running clock runs on from the moment of the
 * snapshot.
 * @throws ControlRefused when it is none of ours, of another version, was changed, or holds what no sandbox can hold;
 * then nothing was changed
 */
export function restoreSnapshot(store: Store, text: string, machine: Clock): void {
  const { clock, tables } = readSnapshot(text);
  const known = kept(store);
  if (Object.keys(tables).toSorted().join() !== [...known].toSorted().join()) throw changed();
  const now = Date.parse(clock.now);
  if (now > latestMs) throw changed();
  store.write(() => {
    for (const table of [...known, ...apart]) store.run(`DELETE FROM ${table}`);
    try {
      // Filling a table moves its sequence, so the sequences come last.
      for (const table of known) {
        if (table === sequences) store.run(`DELETE FROM ${sequences}`);
        for (const one of tables[table] ?? []) insert(store, table, one);
      }
      assertWhole(store, tables, now);
    } catch (error) {
      if (error instanceof ControlRefused) throw error;
      throw impossible(error instanceof Error ? error.message : String(error));
    }
    saveClock(store, { offsetMs: now - machine(), frozenAt: clock.frozen ? now : null });
  });
}

function insert(store: Store, table: string, one: Row): void {
  const known = store.all("SELECT name FROM pragma_table_info(?)", table).map(({ name }) => String(name));
  const columns = Object.keys(one);
  if (columns.some((column) => !known.includes(column))) throw changed();
  const places = columns.map(() => "?").join(", ");
  store.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(one));
}

/** What was put in comes out again, can be told, and is a state that a sandbox can be in. */
function assertWhole(store: Store, tables: Snapshot["tables"], now: number): void {
  if (canonical(tablesOf(store)) !== canonical(tables)) throw changed();
  for (const rental of allRentals(store, firstUser)) rentalRecord(store, rental, now);
  listVolumes(store, firstUser);
  listFaults(store);
  const [user] = store.all("SELECT deletedAt FROM users WHERE id = ?", firstUser);
  if (user === undefined) throw impossible("the user is missing");
  if (user.deletedAt !== null) return;
  if (findUser(store, firstUser) === undefined) throw impossible("the user is missing");
  const secrets = listKeys(store, firstUser).map(({ secret }) => secret);
  const lost = Object.values(keys).find((secret) => !secrets.includes(secret));
  if (lost !== undefined) throw impossible(`the sandbox's own key ${lost} is missing`);
}

const impossible = (reason: string): ControlRefused =>
  new ControlRefused([], `the snapshot holds what no sandbox can hold: ${reason}`);
