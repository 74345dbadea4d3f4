import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { type Snapshot, withDigest } from "../../src/sandbox/control/snapshot.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import type { Row } from "../../src/sandbox/store/queries.ts";
import { openSandbox, start } from "./harness.ts";

const day = 24 * 3600 * 1000;
const at = (ms: number) => new Date(start + ms).toISOString();

/** A sandbox with some records, a fault and logged requests. */
async function usedSandbox() {
  const sandbox = await openSandbox();
  sandbox.clock.freeze();
  await sandbox.ask("createBareMetalRental", { gpuCount: 8, networkType: "ethernet" });
  await sandbox.ask("createStorageVolume", {
    label: "data",
    region: "eu-west-3",
    sizeInGb: 256,
    rentalIds: [1001],
  });
  sandbox.faults.add({ operation: "getRental", status: 500, times: 3 });
  sandbox.boots.add({ outcome: "never", label: "other" });
  sandbox.chatScript.set([{ text: "One" }]);
  await sandbox.call("getRental", { rentalId: "1001" });
  sandbox.clock.advance(day);
  return sandbox;
}

test("after a restore, the sandbox continues exactly as it did after the snapshot", async () => {
  const sandbox = await usedSandbox();
  const text = JSON.stringify(sandbox.snapshot());
  const after = async () => {
    const created = await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    return [
      created,
      await sandbox.ask("listBareMetalRentals"),
      await sandbox.ask("listStorageVolumes"),
      sandbox.faults.list(),
      sandbox.clock.show(),
    ];
  };
  const first = await after();
  sandbox.clock.advance(day);
  sandbox.faults.clear();
  sandbox.restore(text);
  expect(await after()).toEqual(first);
});

test("after a snapshot is restored in another sandbox, that sandbox's own snapshot equals the restored one", async () => {
  const snapshot = (await usedSandbox()).snapshot();
  const other = await openSandbox();
  other.restore(JSON.stringify(snapshot));
  expect(other.snapshot()).toEqual(snapshot);
});

test("a running clock runs on from the time in the snapshot", async () => {
  const sandbox = await openSandbox();
  const text = JSON.stringify(sandbox.snapshot());
  sandbox.advance(10 * day);
  sandbox.restore(text);
  expect(sandbox.clock.show().now).toBe(at(0));
  sandbox.advance(day);
  expect(sandbox.clock.show().now).toBe(at(day));
});

test("the request log is not in a snapshot, and is empty after a restore", async () => {
  const sandbox = await usedSandbox();
  const text = JSON.stringify(sandbox.snapshot());
  expect(text).not.toContain("/v2/on-demand");
  sandbox.restore(text);
  expect(sandbox.requests.list({ limit: 50 })).toEqual([]);
});

test("a snapshot that is invalid, of another version or altered is rejected, and nothing changes", async () => {
  const sandbox = await usedSandbox();
  const snapshot = sandbox.snapshot();
  const text = JSON.stringify(snapshot);
  const { clock, version } = snapshot;
  const wrong = [
    ["", "this is not a snapshot of a sandbox"],
    ["[]", "this is not a snapshot of a sandbox"],
    ["{}", "this is not a snapshot of a sandbox"],
    [text.slice(0, -20), "this is not a snapshot of a sandbox"],
    [
      JSON.stringify({ ...snapshot, version: version + 1 }),
      "the snapshot was written by a newer version of gpuctl",
    ],
    [
      JSON.stringify({ gpuctlSandbox: "snapshot", version: version - 1 }),
      "the snapshot was written by an older version of gpuctl",
    ],
    [JSON.stringify({ ...snapshot, version: version - 1 }), `this version reads format ${version} only`],
    [text.replace("eu-west-3", "eu-west-4"), "the snapshot was modified"],
    [JSON.stringify({ ...snapshot, tables: {} }), "the snapshot was modified"],
    [JSON.stringify({ ...snapshot, clock: { ...clock, now: at(5 * day) } }), "the snapshot was modified"],
    [JSON.stringify({ ...snapshot, clock: { ...clock, frozen: false } }), "the snapshot was modified"],
    [JSON.stringify({ ...snapshot, more: 1 }), "the snapshot was modified"],
    [text.replace('"skip":0', '"skip":1'), "the snapshot was modified"],
  ] as const;
  for (const [broken, message] of wrong) {
    expect(broken).not.toBe(text);
    expect(() => sandbox.restore(broken)).toThrow(message);
    expect(sandbox.snapshot()).toEqual(snapshot);
  }
});

test("a snapshot can be restored after its text was reformatted and its fields were reordered", async () => {
  const sandbox = await usedSandbox();
  const { gpuctlSandbox, version, clock, tables, digest } = sandbox.snapshot();
  const sorted = Object.fromEntries(Object.entries(tables).toReversed());
  const before = sandbox.snapshot();
  sandbox.reset();
  sandbox.restore(JSON.stringify({ digest, tables: sorted, clock, version, gpuctlSandbox }, null, 2));
  expect(sandbox.snapshot()).toEqual(before);
});

test.each<[string, (tables: Snapshot["tables"]) => Snapshot["tables"], string]>([
  ["no keys", (tables) => ({ ...tables, keys: [] }), "built-in key gpuctl-sandbox-full is missing"],
  ["no user", (tables) => ({ ...tables, users: [] }), "the user is missing"],
  ["a text instead of a number", first("counters", { name: "chat", value: "many" }), "has an invalid state"],
  ["an unknown column", first("counters", { name: "chat", value: 1, more: 1 }), "was modified"],
  ["a missing column", first("counters", { name: "chat" }), "has an invalid state"],
  ["a number that is too large", first("counters", { name: "chat", value: 2 ** 53 }), "has an invalid state"],
  [
    "each user twice",
    (tables) => ({ ...tables, users: [...(tables.users ?? []), ...(tables.users ?? [])] }),
    "UNIQUE",
  ],
  ["a record that is not JSON", first("rentals", { record: "{" }), "has an invalid state"],
  ["a rental without a time", first("rentals", { record: "{}" }), "has an invalid state"],
  ["a volume that is not JSON", first("volumes", { record: "{" }), "has an invalid state"],
  ["a fault that is not JSON", first("faults", { record: "{" }), "has an invalid state"],
  [
    "a boot rule with an unknown outcome",
    first("boots", { record: '{"outcome":"late"}' }),
    "boot rule 1 is not valid: outcome must be one of",
  ],
  [
    "a reply without contents",
    first("chatReplies", { record: "{}" }),
    "reply 0 of the chat script is not valid",
  ],
  ["an unknown table", (tables) => ({ ...tables, notes: [] }), "was modified"],
])("a snapshot with %s and a valid digest is rejected, and nothing changes", async (_name, change, why) => {
  const sandbox = await usedSandbox();
  const before = sandbox.snapshot();
  const { digest: _, ...content } = before;
  const forged = withDigest({ ...content, tables: change(content.tables) });
  expect(() => sandbox.restore(JSON.stringify(forged))).toThrow(
    expect.objectContaining({ name: "ControlRefused", message: expect.stringContaining(why) }),
  );
  expect(sandbox.snapshot()).toEqual(before);
  expect(sandbox.status()).toMatchObject({ rentals: { active: 1 }, volumes: 1 });
});

/** Returns a function that sets these values in the first row of a table. */
function first(table: string, values: Row): (tables: Snapshot["tables"]) => Snapshot["tables"] {
  return (tables) => {
    const [one, ...rest] = tables[table] ?? [];
    return { ...tables, [table]: [{ ...one, ...values }, ...rest] };
  };
}

test("a sandbox whose user was deleted is saved and restored too", async () => {
  const sandbox = await usedSandbox();
  await sandbox.ask("deleteCurrentUser");
  const before = sandbox.snapshot();
  sandbox.reset();
  sandbox.restore(JSON.stringify(before));
  expect(sandbox.snapshot()).toEqual(before);
  expect(sandbox.status().userExists).toBe(false);
});

test("the summary is correct after a restore, a reset and a seed", async () => {
  const sandbox = await openSandbox();
  const summary = () => sandbox.ask("getActiveRentalSummary");
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 2 });
  const text = JSON.stringify(sandbox.snapshot());
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, termType: "reserved", termPeriodDays: 30 });
  expect(await summary()).toMatchObject({ count: 2, costPerHourCents: 580 });
  sandbox.restore(text);
  expect(await summary()).toMatchObject({ count: 1, costPerHourCents: 400 });
  sandbox.reset();
  expect(await summary()).toMatchObject({ count: 0, costPerHourCents: 0 });
  await sandbox.seed("rentals: [{ rentalType: virtual-machine, gpuCount: 3 }]");
  expect(await summary()).toMatchObject({ count: 1, costPerHourCents: 600 });
});

test("every table except the log, the clock and the sums is in a snapshot, and a reset restores the initial state", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gpuctl-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "sandbox.db");
  const sandbox = await createSandbox({ file, now: () => start });
  onTestFinished(() => sandbox.close());
  const untouched = sandbox.snapshot();
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const names = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name));
  expect(Object.keys(untouched.tables).sort()).toEqual(
    names.filter((name) => !["requests", "clock", "hourlySums"].includes(name)).sort(),
  );
  sandbox.restore(JSON.stringify((await usedSandbox()).snapshot()));
  expect(sandbox.snapshot()).not.toEqual(untouched);
  sandbox.reset();
  expect(sandbox.snapshot()).toEqual(untouched);
  expect(sandbox.requests.list({ limit: 50 })).toEqual([]);
});

test("a restored engine keeps the variable of its key only if this sandbox already had that engine", async () => {
  const sandbox = await openSandbox();
  const engine = { kind: "chat", url: "https://models.example/v1", apiKeyEnv: "SOME_TOKEN" };
  sandbox.engines.save(engine);
  const snapshot = sandbox.snapshot();
  expect(JSON.stringify(snapshot)).not.toContain("SOME_TOKEN");
  // Earlier versions of gpuctl stored the name of the variable.
  const { digest: _, ...content } = snapshot;
  const engines = [{ kind: "chat", record: JSON.stringify(engine) }];
  const earlier = withDigest({ ...content, tables: { ...content.tables, engines } });
  for (const one of [snapshot, earlier]) {
    sandbox.reset();
    sandbox.engines.save(engine);
    sandbox.restore(JSON.stringify(one));
    expect(await sandbox.engines.list()).toMatchObject([engine]);
    sandbox.reset();
    expect(await sandbox.engines.list()).toEqual([]);
    sandbox.restore(JSON.stringify(one));
    expect(await sandbox.engines.list()).toMatchObject([{ ...engine, apiKeyEnv: null }]);
  }
});

test("a snapshot with an invalid engine is rejected", async () => {
  const sandbox = await openSandbox();
  const { digest: _, ...content } = sandbox.snapshot();
  const engines = [{ kind: "chat", record: JSON.stringify({ kind: "chat", url: "file:///etc" }) }];
  const text = JSON.stringify(withDigest({ ...content, tables: { ...content.tables, engines } }));
  expect(() => sandbox.restore(text)).toThrow("url must be a URL");
  expect(sandbox.snapshot()).toMatchObject(content);
});
