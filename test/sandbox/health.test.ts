import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { restoreSnapshot } from "../../src/sandbox/control/snapshot.ts";
import { health } from "../../src/sandbox/health.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { openStore, StoreError } from "../../src/sandbox/store/store.ts";
import { requestFor } from "./request.ts";

async function stateFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-health-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "sandbox.sqlite");
}

test("a health check creates no state", async () => {
  const file = await stateFile();
  const found = await health(file);
  expect(found).toMatchObject({ file, exists: false });
  expect(found.packages.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  expect(existsSync(file)).toBe(false);
});

test("intact state has no problem", async () => {
  const file = await stateFile();
  (await createSandbox({ file })).close();
  const found = await health(file);
  expect(found.exists).toBe(true);
  expect(found.problem).toBeUndefined();
});

test("damaged state is reported", async () => {
  const file = await stateFile();
  await writeFile(file, "this is no database, and long enough to be read as one ".repeat(40));
  expect(await health(file)).toMatchObject({
    problem: expect.stringContaining("not a database"),
    kind: "damaged",
  });
});

test("state that cannot be opened is not reported as damaged", async () => {
  const file = await stateFile();
  await mkdir(file);
  expect(await health(file)).toMatchObject({ problem: expect.any(String), kind: "unavailable" });
});

/** Creates a state file, then makes a change that is not noticed when the file is opened. */
async function changedState(change: (database: DatabaseSyncInstance, file: string) => void): Promise<string> {
  const file = await stateFile();
  (await createSandbox({ file })).close();
  const database = new DatabaseSync(file);
  change(database, file);
  database.close();
  return file;
}

/** Overwrites the first page of the table of volumes. */
function damageVolumes(database: DatabaseSyncInstance, file: string): void {
  const [root] = database.prepare("SELECT rootpage AS page FROM sqlite_master WHERE name = 'volumes'").all();
  const [unit] = database.prepare("PRAGMA page_size").all();
  const bytes = readFileSync(file);
  const size = Number(unit?.page_size);
  const start = (Number(root?.page) - 1) * size;
  writeFileSync(file, bytes.fill(0xff, start, start + size));
}

test.each([
  [
    "is damaged",
    damageVolumes,
    "the sandbox's state is damaged: `gpuctl sandbox reset` moves its file aside and starts with a new one",
  ],
  [
    "cannot be used",
    (database: DatabaseSyncInstance) => database.exec("DROP TABLE volumes"),
    "the sandbox's state cannot be read or stored: no such table: volumes",
  ],
] as const)("if the state %s, the response says so", async (_, change, message) => {
  const sandbox = await createSandbox({ file: await changedState(change) });
  onTestFinished(() => sandbox.close());
  const response = await sandbox.fetch(requestFor("listStorageVolumes", {}, sandbox.keys.full));
  expect([response.status, await response.json()]).toEqual([
    500,
    { code: "INTERNAL_SERVER_ERROR", message, issues: [] },
  ]);
});

test("if the disk is full, the errors of a restore and of another change say so", async () => {
  const large = await createSandbox({ file: await stateFile() });
  const volumes = Array.from({ length: 2_000 }, (_, at) => ({
    label: `volume-${at}`,
    region: "us-central-1",
    sizeInGb: 256,
  }));
  await large.seed(JSON.stringify({ volumes }));
  const snapshot = JSON.stringify(large.snapshot());
  large.close();
  const store = await openStore(await stateFile(), Date.now());
  onTestFinished(() => store.close());
  // SQLite rounds this up to the present size, so the file cannot grow.
  store.all("PRAGMA max_page_count = 1");
  for (const change of [
    () => restoreSnapshot(store, snapshot, Date.now),
    () => store.write(() => store.run("CREATE TABLE more AS SELECT zeroblob(1000000) AS bytes")),
  ]) {
    expect(change).toThrow(StoreError);
    expect(change).toThrow("database or disk is full");
  }
});
