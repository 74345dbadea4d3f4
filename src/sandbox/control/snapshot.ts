import { createHash } from "node:crypto";
import * as z from "zod";
import type { Row } from "../queries.ts";
import { schemaVersion, tableNames } from "../schema.ts";
import type { Store } from "../store.ts";
import { saveClock } from "../tables/clock.ts";
import type { ClockShown } from "./clock.ts";
import { ControlRefused } from "./refused.ts";

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

const document = z.strictObject({
  gpuctlSandbox: z.literal("snapshot"),
  version: z.int(),
  clock: z.strictObject({ now: z.iso.datetime(), frozen: z.boolean() }),
  tables: z.record(z.string(), z.array(row)),
  digest: z.string(),
});

/** The whole state as plain data: every table but the log of requests, and the clock as it stood. */
export type Snapshot = z.output<typeof document>;

/** Tables that a snapshot leaves out: one is a log, the other is told as a moment. */
const apart: ReadonlySet<string> = new Set(["requests", "clock"]);
const sequences = "sqlite_sequence";

const kept = (store: Store): readonly string[] => [
  ...tableNames(store).filter((name) => !apart.has(name)),
  sequences,
];

/** Told apart from a document that was changed by hand or cut off. */
const digestOf = (tables: Snapshot["tables"]): string =>
  createHash("sha256").update(JSON.stringify(tables)).digest("hex");

export function takeSnapshot(store: Store, clock: () => ClockShown): Snapshot {
  return store.write(() => {
    const { now, frozen } = clock();
    const entries = kept(store).map((name) => [name, rowsOf(store, name)] as const);
    const tables = Object.fromEntries(entries);
    return {
      gpuctlSandbox: "snapshot",
      version: schemaVersion,
      clock: { now, frozen },
      tables,
      digest: digestOf(tables),
    };
  });
}

function rowsOf(store: Store, table: string): Row[] {
  const rows = [...store.all(`SELECT * FROM ${table}`)];
  return table === sequences ? rows.filter(({ name }) => !apart.has(String(name))) : rows;
}

/**
 * Puts a snapshot in the place of the whole state, as one transaction; a running clock runs on from the moment of the
 * snapshot. `machine` is the time of the machine's clock.
 * @throws ControlRefused when it is none of ours, of another version, or was changed; then nothing was changed
 */
export function restoreSnapshot(store: Store, text: string, machine: number): void {
  const { clock, tables } = readSnapshot(text, kept(store));
  const now = Date.parse(clock.now);
  store.write(() => {
    for (const table of [...kept(store), ...apart]) store.run(`DELETE FROM ${table}`);
    // Filling a table moves its sequence, so the sequences come last.
    for (const table of kept(store)) {
      if (table === sequences) store.run(`DELETE FROM ${sequences}`);
      for (const one of tables[table] ?? []) insert(store, table, one);
    }
    saveClock(store, { offsetMs: now - machine, frozenAt: clock.frozen ? now : null });
  });
}

function insert(store: Store, table: string, one: Row): void {
  const known = store.all("SELECT name FROM pragma_table_info(?)", table).map(({ name }) => String(name));
  const columns = Object.keys(one);
  if (columns.some((column) => !known.includes(column))) throw changed();
  const places = columns.map(() => "?").join(", ");
  store.run(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`, ...Object.values(one));
}

function readSnapshot(text: string, known: readonly string[]): Snapshot {
  const parsed = document.safeParse(parse(text));
  if (!parsed.success) throw new ControlRefused([], "it is no snapshot of a sandbox");
  const { version, tables, digest } = parsed.data;
  if (version !== schemaVersion) {
    throw new ControlRefused(
      [],
      `another version wrote the snapshot (${version}; this one knows ${schemaVersion})`,
    );
  }
  const same = Object.keys(tables).toSorted().join() === [...known].toSorted().join();
  if (!same || digest !== digestOf(tables)) {
    throw changed();
  }
  return parsed.data;
}

const changed = (): ControlRefused =>
  new ControlRefused([], "the snapshot was changed after it was taken: a state of your own is for `seed`");

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
