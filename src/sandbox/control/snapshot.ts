import { createHash } from "node:crypto";
import * as z from "zod";
import { reasonOf } from "../../core/errors.ts";
import { asRecord, canonicalJson, parseJson } from "../../core/json.ts";
import { assertReplies } from "../chat-script/table.ts";
import { type Clock, type ClockState, latestMs, saveClock } from "../clock.ts";
import { ControlRefused } from "../errors.ts";
import { listFaults } from "../faults/table.ts";
import { keys, listKeys } from "../keys.ts";
import { assertBootRules } from "../rentals/boots.ts";
import { rentalRecords } from "../rentals/record.ts";
import { assertSituations } from "../situations/table.ts";
import type { Row, Store } from "../store/queries.ts";
import { builtInUserId, schemaVersion, tableNames } from "../store/schema.ts";
import { StoreError } from "../store/store.ts";
import { type Engine, listEngines, saveEngine } from "../tables/engines.ts";
import { allRentals } from "../tables/rentals.ts";
import { findUser } from "../tables/users.ts";
import { listVolumes } from "../tables/volumes.ts";
import { checkEngine } from "./engines.ts";

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

const head = z.object({ gpuctlSandbox: z.literal("snapshot"), version: z.int() });

export const snapshotDocument = z.strictObject({
  ...head.shape,
  clock: z.strictObject({ now: z.iso.datetime(), frozen: z.boolean() }),
  tables: z.record(z.string(), z.array(row)),
  digest: z.string(),
});

/**
 * The state as plain data: the clock, and every table that is not `excluded`, without the names of the variables that
 * hold the keys of engines.
 */
export type Snapshot = z.output<typeof snapshotDocument>;

/** Adds the digest, which reveals whether a snapshot was modified or truncated. */
export const withDigest = (content: Omit<Snapshot, "digest">): Snapshot => ({
  ...content,
  digest: digestOf(content),
});

/** Parses a snapshot. @throws ControlRefused when it is not a snapshot, has another version or was modified */
function readSnapshot(text: string): Snapshot {
  const json = parseJson(text);
  const known = head.safeParse(json);
  if (!known.success) throw new ControlRefused([], "this is not a snapshot of a sandbox");
  const { version } = known.data;
  if (version !== schemaVersion) {
    const writer = version < schemaVersion ? "an older" : "a newer";
    const formats = `it has format ${version}, and this version reads format ${schemaVersion} only`;
    throw new ControlRefused([], `the snapshot was written by ${writer} version of gpuctl: ${formats}`);
  }
  const parsed = snapshotDocument.safeParse(json);
  if (!parsed.success) throw changed();
  const { digest, ...content } = parsed.data;
  if (digest !== digestOf(content)) throw changed();
  return parsed.data;
}

const changed = (): ControlRefused =>
  new ControlRefused(
    [],
    "the snapshot was modified after it was taken; to load a state of your own, use `seed`",
  );

/** The SHA-256 of a snapshot's content. Neither whitespace nor the order of keys affects it. */
const digestOf = (content: Omit<Snapshot, "digest">): string =>
  createHash("sha256").update(canonicalJson(content)).digest("hex");

/**
 * Tables that a snapshot omits: the request log; the clock, which has a field of its own; and the sums of the rentals,
 * which are computed when the rentals are restored.
 */
const excluded: ReadonlySet<string> = new Set(["requests", "clock", "hourlySums"]);
const sequences = "sqlite_sequence";

const included = (store: Store): readonly string[] => [
  ...tableNames(store).filter((name) => !excluded.has(name)),
  sequences,
];

export function takeSnapshot(store: Store, clock: () => ClockState): Snapshot {
  return store.write(() => {
    const { now, frozen } = clock();
    return withDigest({
      gpuctlSandbox: "snapshot",
      version: schemaVersion,
      clock: { now, frozen },
      tables: tablesOf(store),
    });
  });
}

const tablesOf = (store: Store): Snapshot["tables"] =>
  Object.fromEntries(included(store).map((name) => [name, rowsOf(store, name)]));

function rowsOf(store: Store, table: string): Row[] {
  const rows = [...store.all(`SELECT * FROM ${table}`)];
  if (table === sequences) return rows.filter(({ name }) => !excluded.has(String(name)));
  return withoutKeyNames(table, rows);
}

/** Leaves out the names of the variables that hold the keys of engines, because snapshots are shared. */
const withoutKeyNames = (table: string, rows: Row[]): Row[] =>
  table === "engines" ? rows.map(withoutKeyName) : rows;

function withoutKeyName({ record, ...row }: Row): Row {
  const { apiKeyEnv: _, ...engine } = asRecord(parseJson(String(record)));
  return { ...row, record: JSON.stringify(engine) };
}

/**
 * Replaces the whole state with a snapshot, as one transaction. A running clock continues from the snapshot's time.
 * @throws ControlRefused when the text is not a snapshot of this version, was modified, or has an invalid state. The
 * sandbox is then unchanged.
 */
export function restoreSnapshot(store: Store, text: string, machine: Clock): void {
  const { clock, tables: given } = readSnapshot(text);
  // Snapshots of earlier versions of gpuctl contain the names of the variables that hold the keys of engines.
  const tables = Object.fromEntries(
    Object.entries(given).map(([table, rows]) => [table, withoutKeyNames(table, rows)]),
  );
  const known = included(store);
  if (Object.keys(tables).toSorted().join() !== [...known].toSorted().join()) throw changed();
  const now = Date.parse(clock.now);
  if (now > latestMs) throw changed();
  store.write(() => {
    const engines = listEngines(store);
    for (const table of [...known, ...excluded]) store.run(`DELETE FROM ${table}`);
    try {
      // Inserting rows advances the id sequences of their tables, so the sequences are restored last.
      for (const table of known) {
        if (table === sequences) store.run(`DELETE FROM ${sequences}`);
        for (const one of tables[table] ?? []) insert(store, table, one);
      }
      assertConsistent(store, tables, now);
      keepEngineKeys(store, engines);
    } catch (error) {
      if (error instanceof ControlRefused || error instanceof StoreError) throw error;
      throw invalidState(reasonOf(error));
    }
    saveClock(store, { offsetMs: now - machine(), frozenAt: clock.frozen ? now : null });
  });
}

/**
 * Gives each restored engine the `apiKeyEnv` (the name of the variable with its key) that the same engine had before.
 * A name from a snapshot of someone else could make the sandbox send the value of any variable to any server.
 */
function keepEngineKeys(store: Store, before: readonly Engine[]): void {
  const withoutKey = ({ apiKeyEnv: _, ...engine }: Engine) => canonicalJson(engine);
  for (const { apiKeyEnv: _, ...engine } of listEngines(store)) {
    const same = before.find((one) => withoutKey(one) === withoutKey(engine));
    saveEngine(store, same ?? engine);
  }
}

function insert(store: Store, table: string, one: Row): void {
  const known = store.all("SELECT name FROM pragma_table_info(?)", table).map(({ name }) => String(name));
  const columns = Object.keys(one);
  if (columns.some((column) => !known.includes(column))) throw changed();
  const places = columns.map(() => "?").join(", ");
  store.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(one));
}

/** Checks that the restored rows are read back unchanged, and that they are a valid state. */
function assertConsistent(store: Store, tables: Snapshot["tables"], now: number): void {
  if (canonicalJson(tablesOf(store)) !== canonicalJson(tables)) throw changed();
  const read = { store, addressesOf: () => undefined };
  rentalRecords(read, allRentals(store, undefined), now);
  listVolumes(store, undefined);
  listFaults(store);
  assertBootRules(store);
  assertReplies(store);
  assertSituations(store);
  for (const engine of listEngines(store)) checkEngine(engine);
  const [user] = store.all("SELECT deletedAt FROM users WHERE id = ?", builtInUserId);
  if (user === undefined) throw invalidState("the user is missing");
  if (user.deletedAt !== null) return;
  if (findUser(store, builtInUserId) === undefined) throw invalidState("the user is missing");
  const secrets = listKeys(store, builtInUserId).map(({ secret }) => secret);
  const lost = Object.values(keys).find((secret) => !secrets.includes(secret));
  if (lost !== undefined) throw invalidState(`the built-in key ${lost} is missing`);
}

const invalidState = (reason: string): ControlRefused =>
  new ControlRefused([], `the snapshot has an invalid state: ${reason}`);
