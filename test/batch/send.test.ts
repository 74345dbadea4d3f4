import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSend } from "../../src/batch/engine/send.ts";
import type { BufferedResponse } from "../../src/client/response.ts";
import { scratchFolder } from "../media/scratch.ts";

const line = { number: 1, id: "a", endpoint: "chat", body: {}, sum: 0 } as const;

/** Sends a line of a batch to a service that responds with these bytes. Returns the outcome of the line. */
async function sentAfter(
  bytes: Uint8Array,
  { maxValues = 1000, text = () => new TextDecoder().decode(bytes) } = {},
) {
  const folder = await scratchFolder();
  const request = { method: "POST", url: "https://service.test/v1/chat/completions" };
  const response: BufferedResponse = {
    ...{
      status: 200,
      request,
      header: () => null,
      headers: [],
      bytes,
      text,
      maxValues,
      redact: (one) => one,
    },
  };
  const send = createSend({
    request: () => Promise.reject(new Error("not a chat")),
    prepare: async () => async () => response,
    out: join(folder, "out.jsonl"),
    filesFolder: join(folder, "files"),
    fallbackFolders: [],
    metadata: false,
    version: "1",
    serviceNow: () => 0,
    say: () => {},
    redactor: { redact: (text) => text },
  });
  return send(line);
}

/** The bytes of the file that an outcome names. */
async function keptBy(sent: Awaited<ReturnType<typeof sentAfter>>): Promise<Buffer> {
  const message = "answer" in sent ? sent.answer.error?.message : undefined;
  return readFile(/the response was saved to (.*)$/.exec(message ?? "")?.[1] ?? "");
}

test("a response that cannot be used is saved, and the outcome of its line is unknown", async () => {
  const bytes = Buffer.from("paid for");
  // Like the error that Node.js throws for bytes that are too long for a string.
  const text = () => {
    throw new Error("Cannot create a string longer than 0x1fffffe8 characters");
  };
  const sent = await sentAfter(bytes, { text });
  expect(sent).toMatchObject({ outcome: "unknown", code: "UNUSABLE_RESPONSE" });
  expect((await keptBy(sent)).equals(bytes)).toBe(true);
});

test("a response with too many values is saved without being parsed", async () => {
  const bytes = Buffer.from(`{"choices":[${Array(2000).fill("1").join(",")}]}`);
  const sent = await sentAfter(bytes);
  expect(sent).toMatchObject({
    outcome: "unknown",
    answer: { error: { message: expect.stringContaining("more than 1000 values") } },
  });
  expect((await keptBy(sent)).equals(bytes)).toBe(true);
});
