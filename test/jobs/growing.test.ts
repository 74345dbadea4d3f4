import type { Stats } from "node:fs";
import { appendFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { growing } from "../../src/jobs/watch.ts";
import { scratchFolder } from "../media/scratch.ts";

/** The path of a log, from which "one" was already read, and functions that read what is new. */
async function readLog() {
  const path = join(await scratchFolder(), "output.log");
  await writeFile(path, "one\n");
  let shown: Partial<Stats> = {};
  const more = growing(path, async (path) => Object.assign(await stat(path), shown));
  const read = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of more()) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  expect(await read()).toBe("one\n");
  /** Reads what is new, with some of the file's attributes replaced. */
  const readAs = async (facts: Partial<Stats>) => {
    shown = facts;
    const added = await read();
    shown = {};
    return added;
  };
  return { path, read, readAs };
}

test("only new bytes of a log are read", async () => {
  const { path, read } = await readLog();
  expect(await read()).toBe("");
  await appendFile(path, "two\n");
  expect(await read()).toBe("two\n");
});

test("a log that was truncated is read from its start", async () => {
  const { path, read } = await readLog();
  await truncate(path);
  expect(await read()).toBe("");
  await appendFile(path, "two\n");
  expect(await read()).toBe("two\n");
});

test("a log that was replaced is read from its start, even if the new one is longer", async () => {
  const { path, read, readAs } = await readLog();
  // A file counts as replaced only if its creation time differs, too. The clock of a file system may be too coarse to
  // give the two files different creation times, so the first file's time is replaced with 0.
  expect(await readAs({ birthtimeMs: 0 })).toBe("");
  await rename(path, `${path}.1`);
  expect(await read()).toBe("");
  await writeFile(path, "two and three\n");
  expect(await read()).toBe("two and three\n");
});

test("a log that was moved away and back is not read again from its start", async () => {
  const { path, read } = await readLog();
  await rename(path, `${path}.1`);
  expect(await read()).toBe("");
  await rename(`${path}.1`, path);
  expect(await read()).toBe("");
  await rm(path);
  expect(await read()).toBe("");
});

test.each([
  ["gives a file another inode number each time", [{ ino: 1 }, { ino: 2 }]],
  ["does not know when a file was created", [{ birthtimeMs: 1 }, { birthtimeMs: 2 }]],
])("only new bytes are read on a file system that %s", async (_, facts) => {
  const { path, read, readAs } = await readLog();
  for (const one of facts) expect(await readAs(one)).toBe("");
  await appendFile(path, "two\n");
  expect(await read()).toBe("two\n");
});
