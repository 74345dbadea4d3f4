import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "@photostructure/sqlite";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { operations } from "../../src/contract/index.ts";
import { createSandbox, StoreError } from "../../src/sandbox/index.ts";
import { schemaVersion, upgrades } from "../../src/sandbox/store/schema.ts";
import { sample, thorough } from "../support/thorough.ts";
import { requestFor, requestForAssumed } from "./request.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "gpuctl-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

async function open(file: string) {
  const sandbox = await createSandbox({ file });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** A `renter.mjs` process that is ready; `lines` are the IDs that it prints. */
async function renter(file: string, count: number) {
  const process = execa("node", ["test/sandbox/renter.mjs", file, String(count)], {
    reject: false,
    buffer: false,
  });
  const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return { process, lines, go: () => process.stdin.write("go\n") };
}

async function ids(file: string): Promise<number[]> {
  const sandbox = await open(file);
  const response = await sandbox.fetch(requestFor("listVirtualMachineRentals", {}, sandbox.keys.full));
  const rentals = operations.listVirtualMachineRentals.output.parse(await response.json());
  return rentals.map(({ id }) => Number(id));
}

test.skipIf(process.platform === "win32").each([
  ["a pipe as the state file", (path: string) => execa("mkfifo", [path])],
  ["a folder as the state file", (path: string) => mkdir(path)],
  ["a device as the state file", (path: string) => symlink("/dev/zero", path)],
  ["a pipe as the write-ahead log", (path: string) => execa("mkfifo", [`${path}-wal`])],
])("%s is refused at once", async (_name, make) => {
  const file = join(folder(), "sandbox.sqlite");
  await make(file);
  await expect(createSandbox({ file })).rejects.toThrow(
    /Cannot use the sandbox's state in .* is not a regular file/,
  );
});

test.each([
  { processes: thorough ? 10 : 5, each: 1 },
  { processes: thorough ? 3 : 2, each: thorough ? 50 : 20 },
])(
  "$processes processes that open a new file at the same time lose no rental (each creates $each)",
  async (many) => {
    const file = join(folder(), "new", "sandbox.db");
    const renters = await Promise.all(Array.from({ length: many.processes }, () => renter(file, many.each)));
    for (const { go } of renters) go();
    const results = await Promise.all(renters.map(({ process }) => process));
    expect(results.map(({ exitCode }) => exitCode)).toEqual(renters.map(() => 0));
    expect(await ids(file)).toEqual(
      Array.from({ length: many.processes * many.each }, (_, index) => 1001 + index),
    );
  },
);

test.each(sample([1, 7, 40], 1))("kill -9 after %i rentals loses no acknowledged rental", async (count) => {
  const file = join(folder(), "sandbox.db");
  const { process, lines, go } = await renter(file, 100_000);
  go();
  const acknowledged: number[] = [];
  for await (const line of { [Symbol.asyncIterator]: () => lines }) {
    acknowledged.push(Number(line));
    if (acknowledged.length === count) process.kill("SIGKILL");
  }
  await process;
  expect(acknowledged.length).toBeGreaterThanOrEqual(count);
  expect((await ids(file)).slice(0, acknowledged.length)).toEqual(acknowledged);
});

test("opening waits for a lock that blocks the change of the journal mode", async () => {
  const file = join(folder(), "sandbox.db");
  (await open(file)).close();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE");
  const opening = createSandbox({ file });
  await new Promise((resolve) => setImmediate(resolve));
  database.exec("COMMIT");
  database.close();
  (await opening).close();
});

test("a sandbox sees what another sandbox writes to the same file", async () => {
  const file = join(folder(), "sandbox.db");
  const [one, other] = [await open(file), await open(file)];
  await one.fetch(requestFor("createVirtualMachineRental", { gpuCount: 1 }, one.keys.full));
  expect(other.status().rentals.active).toBe(1);
  other.reset();
  expect(one.status().rentals.active).toBe(0);
});

test("only the user can read the state, and its folders are created", async () => {
  const base = folder();
  chmodSync(base, 0o755);
  (await open(join(base, "a", "b", "sandbox.db"))).reset();
  const mode = (...path: string[]) => statSync(join(base, ...path)).mode & 0o777;
  expect([mode("a"), mode("a", "b")]).toEqual([0o700, 0o700]);
  expect(mode("a", "b", "sandbox.db")).toBe(0o600);
  expect(mode("a", "b", "sandbox.db-wal")).toBe(0o600);
  expect(mode()).toBe(0o755);
});

test("a file of a newer version is not changed", async () => {
  const file = join(folder(), "sandbox.db");
  (await open(file)).close();
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 99");
  database.close();
  const before = readFileSync(file);
  const opening = createSandbox({ file });
  await expect(opening).rejects.toThrow(StoreError);
  await expect(opening).rejects.toThrow(
    `it was written by a newer version of gpuctl (format 99; this version reads up to ${schemaVersion})`,
  );
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a database of another program is not changed", async () => {
  const file = join(folder(), "other.db");
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE notes (text)");
  database.close();
  const before = readFileSync(file);
  await expect(createSandbox({ file })).rejects.toThrow("it is another program's database");
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("a file that is not a database is not changed", async () => {
  const file = join(folder(), "letter.txt");
  const letter = "Dear reader, ".repeat(500);
  writeFileSync(file, letter);
  await expect(createSandbox({ file })).rejects.toThrow(StoreError);
  expect(readFileSync(file, "utf8")).toBe(letter);
});

test.skipIf(!existsSync("/proc/self"))(
  "a path where no file can be created is rejected immediately",
  async () => {
    await expect(createSandbox({ file: "/proc/nowhere/sandbox.db" })).rejects.toThrow(StoreError);
  },
);

test("a file of the first version keeps its data, including keys, and gets the missing tables", async () => {
  const file = join(folder(), "sandbox.db");
  const database = new DatabaseSync(file);
  database.exec(upgrades[0] ?? "");
  database.exec(`
    INSERT INTO users (id, record) VALUES ('sandbox-user', '{"name":"Ada"}');
    INSERT INTO keys (secret, userId, access) VALUES ('gpuctl-sandbox-full', 'sandbox-user', 'full');
    INSERT INTO volumes (userId, record) VALUES ('sandbox-user', '{"label":"kept"}');
    PRAGMA user_version = 1;
  `);
  database.close();
  const sandbox = await open(file);
  const response = await sandbox.fetch(requestFor("listStorageVolumes", {}, sandbox.keys.full));
  expect(await response.json()).toMatchObject([{ label: "kept" }]);
  expect(sandbox.status()).toMatchObject({ volumes: 1, userExists: true, frozen: false });
  expect(sandbox.clock.freeze().frozen).toBe(true);
  expect(sandbox.faults.add({ operation: "*", reset: true })).toMatchObject({ id: 1 });
  expect(sandbox.requests.list({ limit: 50 })).toHaveLength(1);
});

test("the summary includes the rentals of a file of an earlier version, and stays correct when a rental ends", async () => {
  const file = join(folder(), "sandbox.db");
  const database = new DatabaseSync(file);
  for (const upgrade of upgrades.slice(0, 7)) database.exec(upgrade);
  const price = { rentalType: "virtual-machine", gpuType: "h100", gpuCount: 1, discountPercentage: 0 };
  const record = { ...price, convertToOnDemandOnExpiry: true, createdAt: Date.UTC(2026, 10, 20), terms: [] };
  const insert = database.prepare(
    "INSERT INTO rentals (userId, rentalType, record, hourlyCents) VALUES ('sandbox-user', ?, ?, ?)",
  );
  for (const hourlyCents of [200, 200, null]) {
    insert.run(record.rentalType, JSON.stringify(record), hourlyCents);
  }
  database.exec(`
    INSERT INTO users (id, record) VALUES ('sandbox-user', '{"name":"Ada"}');
    INSERT INTO keys (secret, userId, access, name, createdAt) VALUES ('gpuctl-sandbox-full', 'sandbox-user', 'full', 'full', 0);
    PRAGMA user_version = 7;
  `);
  database.close();
  const sandbox = await open(file);
  const summary = async () =>
    (await sandbox.fetch(requestFor("getActiveRentalSummary", {}, sandbox.keys.full))).json();
  expect(await summary()).toMatchObject({ count: 3, costPerHourCents: 600 });
  await sandbox.fetch(requestForAssumed("terminateVirtualMachineRental", { rentalId: 1 }, sandbox.keys.full));
  expect(await summary()).toMatchObject({ count: 2, costPerHourCents: 400 });
});

test("a rental that an earlier version stored is reported as before", async () => {
  const file = join(folder(), "sandbox.db");
  const sandbox = await open(file);
  const earlier = {
    rentalType: "virtual-machine",
    label: "old",
    gpuCount: 2,
    gpuType: "h200",
    region: "us-east-1",
    networkType: "ethernet",
    discountPercentage: 0,
    convertToOnDemandOnExpiry: true,
    monitoringEnabled: true,
    customPorts: [8080],
    sshPublicKeyIds: [3, 1],
    createdAt: Date.UTC(2026, 10, 20),
    terms: [],
  };
  const database = new DatabaseSync(file);
  database
    .prepare("INSERT INTO rentals (id, userId, rentalType, record) VALUES (7, 'sandbox-user', ?, ?)")
    .run(earlier.rentalType, JSON.stringify(earlier));
  database.close();
  const response = await sandbox.fetch(requestFor("listVirtualMachineRentals", {}, sandbox.keys.full));
  const { terms: _, ...fields } = earlier;
  expect(await response.json()).toMatchObject([
    { ...fields, id: 7, createdAt: "2026-11-20T00:00:00.000Z", termType: "on-demand", cudaVersion: null },
  ]);
});
