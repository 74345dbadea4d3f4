import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";
import { limits } from "./faults.ts";

const eventStream = { headers: { "content-type": "text/event-stream" } };
const deltaOf = (text: string) => `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`;

/** A response whose body never ends: `start`, and then `text` again and again while the body is read. */
function endless(start: string, text: string, init: ResponseInit = eventStream): Response {
  let isFirst = true;
  const pull = (stream: ReadableStreamDefaultController<Uint8Array>) => {
    stream.enqueue(Buffer.from(isFirst ? start : text));
    isFirst = false;
  };
  return new Response(new ReadableStream({ pull }), init);
}

describe("a streamed reply that is too large has an unknown outcome, and what arrived is kept", () => {
  test.each([
    ["an event without end", 'data: {"choices":', "x".repeat(100)],
    ["an event of many lines", "", `data: ${"x".repeat(100)}\n`],
    ["events without end", "", deltaOf("more ")],
  ])("%s", async (_what, start, text) => {
    const { run, folder } = await createCli({
      limits,
      respond: () => endless(deltaOf("Hello ") + start, text),
    });
    const { code, out, err } = await run("chat hi -m llama", overNetwork());
    expect(code).toBe(10);
    expect(out).toMatch(/^Hello .*\n$/);
    expect(err).toContain("Error: the outcome is unknown: the response is larger than");
    const [kept = ""] = (await readdir(folder)).filter((name) => name.includes("incomplete-response"));
    expect(err).toContain(`The incomplete response was saved to ${join(folder, kept)}.`);
    expect(await readFile(join(folder, kept), "utf8")).toContain(deltaOf("Hello "));
  });
});

test("a list may exceed the size limit of a response, because it is printed as it arrives", async () => {
  const records = Array.from({ length: 500 }, (_, id) => ({ id, label: `rental-${id}` }));
  const body = JSON.stringify(records);
  expect(body.length).toBeGreaterThan(limits.body?.read ?? 0);
  const { run } = await createCli({
    limits,
    respond: () =>
      new Response(ReadableStream.from(body.match(/.{1,700}/g)?.map((part) => Buffer.from(part)) ?? [])),
  });
  const { code, out } = await run("rentals history -o json", overNetwork());
  expect({ code, records: JSON.parse(out) }).toEqual({ code: 0, records });
});

test("a list ends with an error at a record that is too large, after the records before it are printed", async () => {
  const { run } = await createCli({
    limits,
    respond: () => endless('[{"id": 1}, {"id": 2, "label": "', "x".repeat(100), {}),
  });
  const { code, out, err } = await run("rentals history -o jsonl", overNetwork());
  expect({ code, out }).toEqual({ code: 7, out: '{"id":1}\n' });
  expect(JSON.parse(err).error).toMatchObject({ code: "ANSWER_TOO_LARGE" });
});

describe("a response of many small values, which would fill the memory", () => {
  const values = 1_000;
  const json = { headers: { "content-type": "application/json" } };
  const manyValues = `[${"{},".repeat(values / 2)}{}]`;

  test.each(["rentals list", "api call GET /v2/on-demand/virtual-machine-rentals"])(
    "is too large for a read: %s",
    async (line) => {
      const { run } = await createCli({ limits: { values }, respond: () => new Response(manyValues, json) });
      const { code, out, err } = await run(`${line} --retries 0`, overNetwork());
      expect({ code, out }).toEqual({ code: 7, out: "" });
      expect(err).toContain(`Error: the response has more than ${values} values`);
    },
  );

  test.each(["rentals create vm --gpus 1 --yes", "api call POST /v2/x -F a=1"])(
    "has an unknown outcome after a write: %s",
    async (line) => {
      const { run } = await createCli({
        limits: { values },
        respond: ({ method }) =>
          method === "GET" ? Response.json([]) : new Response(`{"id": 1, "more": ${manyValues}}`, json),
      });
      const { code, err } = await run(line, overNetwork());
      expect(code).toBe(10);
      expect(err).toContain(`the response has more than ${values} values`);
    },
  );
});

test("the start of an error body is reported, even if the body is too large and arrives all at once", async () => {
  const { run } = await createCli({
    limits,
    respond: () => new Response(`Too much traffic. ${"x".repeat(30_000)}`, { status: 503 }),
  });
  const { code, err } = await run("volumes list --retries 0", overNetwork());
  expect(code).toBe(7);
  expect(err).toContain("Too much traffic.");
});

const deep = `${"[".repeat(5_000)}${"]".repeat(5_000)}`;
const reply = `{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}],"x":1.50,"extra":${deep}}`;

describe("if a result is nested too deeply to be indented,", () => {
  test.each(["json", "yaml"])(
    "the result of a chat is kept, and the exit code is 1: -o %s",
    async (format) => {
      const plain = reply.replace("1.50", "1");
      const { run, folder } = await createCli({ respond: () => new Response(plain) });
      const { code, out, err } = await run(`chat hi -m llama -o ${format}`, overNetwork());
      expect({ code, out }).toEqual({ code: 1, out: "" });
      const [kept = ""] = (await readdir(folder)).filter((name) => name.endsWith("-result.json"));
      expect(JSON.parse(err).error).toMatchObject({
        exitCode: 1,
        hint: `The result was saved to ${join(folder, kept)}.`,
      });
      expect(await readFile(join(folder, kept), "utf8")).toBe(`${plain}\n`);
    },
  );

  test("formats without indentation still print it", async () => {
    const chunk = `{"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}],"extra":${deep}}`;
    const { run } = await createCli({ respond: () => new Response(`data: ${chunk}\n\n`, eventStream) });
    expect(await run("chat hi -m llama -o jsonl", overNetwork())).toMatchObject({
      code: 0,
      out: `${chunk}\n`,
    });
  });

  test("the error of a create names the rental", async () => {
    const { run } = await createCli({
      respond: ({ method }) =>
        method === "GET" ? Response.json([]) : new Response(`{"id": 7, "extra": ${deep}}`),
    });
    const { code, out, err } = await run("rentals create vm --gpus 1 --yes -o json", overNetwork());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(JSON.parse(err).error).toMatchObject({
      code: "NOT_PRINTED",
      hint: "Rental 7 was created and is billed. Do not create it again.",
    });
  });

  test("a result with a number that must keep its digits (1.50) is kept as received, and the exit code is 1", async () => {
    const deeper = reply.replace(deep, `${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    const { run, folder } = await createCli({ respond: () => new Response(deeper) });
    const { code, out } = await run("chat hi -m llama -o json", overNetwork());
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const [kept = ""] = (await readdir(folder)).filter((name) => name.endsWith("-result.json"));
    expect(await readFile(join(folder, kept), "utf8")).toBe(`${deeper}\n`);
  });
});

describe("an error response that is nested too deeply", () => {
  test.each([
    ["400 with issues", 400, `{"code":"NO","message":"No","issues":${deep}}`],
    ["500 without a message", 500, `{"error":{"type":"x","inner":${deep}}}`],
  ])("is reported for a read: %s", async (_what, status, body) => {
    const { run } = await createCli({ respond: () => new Response(body, { status }) });
    const { code, err } = await run("volumes list --retries 0 -o json", overNetwork());
    expect(code).toBe(status === 400 ? 6 : 7);
    expect(JSON.parse(err).error).toMatchObject({ code: `HTTP_${status}`, status, issues: [] });
  });
});
