import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { health } from "../../src/sandbox/health.ts";
import { createSandbox } from "../../src/sandbox/index.ts";

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
  expect((await health(file)).problem).toContain("not a database");
});
