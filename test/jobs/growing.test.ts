import { appendFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { growing } from "../../src/jobs/watch.ts";
import { scratchFolder } from "../media/scratch.ts";

/** A log of which "one" was read, and a function that reads what is new. */
async function readLog() {
  const path = join(await scratchFolder(), "output.log");
  await writeFile(path, "one\n");
  const more = growing(path);
  const read = async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of more()) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  expect(await read()).toBe("one\n");
  return { path, read };
}

test("only new bytes of a log are read", async () => {
  const { path, read } = await readLog();
  expect(await read()).toBe("");
  await appendFile(path, "two\n");
  expect(await read()).toBe("two\n");
});

test("a log that was cut off is read from its start", async () => {
  const { path, read } = await readLog();
  await truncate(path);
  expect(await read()).toBe("");
  await appendFile(path, "two\n");
  expect(await read()).toBe("two\n");
});

test("a log that was replaced is read from its start, even if the new one is longer", async () => {
  const { path, read } = await readLog();
  await rename(path, `${path}.1`);
  expect(await read()).toBe("");
  await writeFile(path, "two and three\n");
  expect(await read()).toBe("two and three\n");
});

test("a log that was removed for a while goes on if it is the same file", async () => {
  const { path, read } = await readLog();
  await rename(path, `${path}.1`);
  expect(await read()).toBe("");
  await rename(`${path}.1`, path);
  expect(await read()).toBe("");
  await rm(path);
  expect(await read()).toBe("");
});
