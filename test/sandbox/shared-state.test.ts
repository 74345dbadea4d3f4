import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "@photostructure/sqlite";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { operations } from "../../src/contract/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { sample } from "../support/thorough.ts";
import { requestFor } from "./request.ts";

function newFile(): string {
  const made = mkdtempSync(join(tmpdir(), "gpuctl-"));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return join(made, "sandbox.db");
}

async function open(file: string) {
  const sandbox = await createSandbox({ file });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

const startChild = (file: string, action: string) =>
  execa("node", ["--import", "tsx", "test/sandbox/control-child.ts", file, action], {
    reject: false,
    buffer: false,
  });

test("processes that share a file share its clock and faults", async () => {
  const file = newFile();
  const sandbox = await open(file);
  expect((await startChild(file, "move")).exitCode).toBe(0);
  expect(sandbox.clock.show()).toEqual({ now: "2040-01-01T00:00:00.000Z", frozen: true, offsetMs: null });
  const status = async () =>
    (await sandbox.fetch(requestFor("listStorageVolumes", {}, sandbox.keys.full))).status;
  const other = await open(file);
  expect(await status()).toBe(503);
  expect(other.faults.list()).toMatchObject([{ left: 1 }]);
  expect(other.requests.list({ limit: 50 })).toMatchObject([
    { status: 503, time: "2040-01-01T00:00:00.000Z" },
  ]);
  expect([await status(), await status()]).toEqual([503, 200]);
});

/** The number of rentals, and their distinct labels. */
async function labels(file: string) {
  const sandbox = await open(file);
  const response = await sandbox.fetch(requestFor("listVirtualMachineRentals", {}, sandbox.keys.full));
  const rentals = operations.listVirtualMachineRentals.output.parse(await response.json());
  return { count: rentals.length, labels: [...new Set(rentals.map(({ label }) => label))] };
}

const kills = [
  ["seed", 20],
  ["seed", 40],
  ["seed", 60],
  ["restore", 5],
  ["restore", 10],
] as const;

test.each(sample(kills, 3))(
  "kill -9 during repeated %s actions, %i ms after an action has ended, leaves a valid state",
  async (action, delay) => {
    const file = newFile();
    const child = startChild(file, action);
    let done = 0;
    for await (const _ of createInterface({ input: child.stdout })) {
      done += 1;
      if (done === 3) setTimeout(() => child.kill("SIGKILL"), delay);
    }
    await child;
    expect(await labels(file)).toEqual({ count: 300, labels: [expect.stringMatching(/^(one|other)$/)] });
  },
);

test("a database of another program is refused, even if it has a user_version", async () => {
  const file = newFile();
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE notes (text); PRAGMA user_version = 1");
  database.close();
  await expect(createSandbox({ file })).rejects.toThrow("it is another program's database");
});
