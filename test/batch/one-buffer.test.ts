import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { chunksOf } from "../../src/batch/files.ts";
import { csvPrompts } from "../../src/batch/input/prompts.ts";
import { ownLinesOf } from "../../src/batch/read-lines.ts";
import { check } from "../../src/contract/check/check.ts";
import { operations } from "../../src/contract/index.ts";
import { scratchFolder } from "../media/scratch.ts";

/** The chunks of a text, each of which overwrites the one before. */
async function* overwritten(text: string, size: number) {
  const bytes = Buffer.from(text);
  const buffer = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size)
    yield buffer.subarray(0, bytes.copy(buffer, 0, at, at + size));
}

test("a file is read into a single buffer, from any start position", async () => {
  const path = join(await scratchFolder(), "in.jsonl");
  const text = "0123456789".repeat(100_000);
  await writeFile(path, text);
  for (const start of [0, 300_001]) {
    const buffers = new Set<ArrayBufferLike>();
    let read = "";
    for await (const chunk of chunksOf(path, {
      start,
      failed: (error) => new Error("cannot read", { cause: error }),
    })) {
      buffers.add(chunk.buffer);
      read += Buffer.from(chunk).toString();
    }
    expect(read === text.slice(start)).toBe(true);
    expect(buffers.size).toBe(1);
  }
});

test.each([1, 2, 3, 5, 8, 64])(
  "lines stay whole although each chunk of %i bytes overwrites the one before",
  async (size) => {
    const expected = ["one", "", "zwölf", "three lines later", "last"];
    const lines: string[] = [];
    let end = 0;
    for await (const line of ownLinesOf(overwritten(expected.join("\n"), size), "in")) {
      lines.push(line.text);
      end = line.end;
    }
    expect(lines).toEqual(expected);
    expect(end).toBe(Buffer.byteLength(expected.join("\n")));
  },
);

test("the rows of a CSV file stay whole although each chunk overwrites the one before", async () => {
  const prompts = Array.from({ length: 2_000 }, (_, index) => `prompt ${index}`);
  const read = () => overwritten(`prompt\n${prompts.join("\n")}\n`, 64);
  const found: unknown[] = [];
  const source = csvPrompts({ path: "in.csv", read, endpoint: "image", defaults: {} });
  for await (const rows of source()) {
    for (const row of rows) found.push("body" in row ? row.body.prompt : row.problems);
  }
  expect(found).toEqual(prompts);
});

test.each([1, 2, 3, 64])(
  "the rows of a CSV file may end in different ways, in chunks of %i bytes",
  async (size) => {
    const read = () => overwritten('prompt\r\none\ntwo\r\n"three\r\nfour"\nfive\r\nsix', size);
    const found: unknown[] = [];
    for await (const rows of csvPrompts({ path: "in.csv", read, endpoint: "image", defaults: {} })()) {
      for (const row of rows) found.push("body" in row ? row.body.prompt : row.problems);
    }
    expect(found).toEqual(["one", "two", "three\r\nfour", "five", "six"]);
  },
);

test("a valid body is parsed with Zod without options, because each parse with options leaves garbage in memory", () => {
  const operation = operations.createChatCompletion;
  const parse = vi.spyOn(operation.input, "safeParse");
  const body = { model: "m", messages: [{ role: "user", content: "hi" }] };
  expect(check(operation, body).ok).toBe(true);
  expect(parse.mock.calls).toEqual([[body, undefined]]);
  parse.mockRestore();
});
