import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const service = overNetwork();
const ask = "chat Hello --model llama";
const events = "text/event-stream";

const answering = (body: string, type?: string) =>
  createCli({
    respond: () =>
      new Response(Buffer.from(body), { headers: type === undefined ? {} : { "content-type": type } }),
  });
const whole = '{"choices":[{"message":{"content":"PAID"}}]}';
const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const delta = '{"choices":[{"delta":{"content":"PAID"}}]}';

describe("chat prints a complete answer", () => {
  test.each([
    ["JSON", "application/json", whole],
    ["JSON as text/json", "text/json", whole],
    ["JSON as bytes", "application/octet-stream", whole],
    ["JSON of a vendor", "application/vnd.api+json", whole],
    ["JSON as text", "text/plain", `\n ${whole}`],
    ["JSON without a type", undefined, whole],
    ["JSON with the type of a stream", events, whole],
    ["a stream with the type of JSON", "application/json", `data: ${delta}\n\ndata: [DONE]\n\n`],
    ["a stream without blank lines", events, `data: ${delta}\ndata: [DONE]\n`],
    [
      "a stream of parts",
      events,
      'data: {"choices":[{"delta":{"content":[{"type":"text","text":"PAID"}]}}]}\n\ndata: [DONE]\n\n',
    ],
  ])("from %s", async (_name, type, body) => {
    const { run } = await answering(body, type);
    expect(await run(ask, service)).toMatchObject({ code: 0, out: "PAID\n", err: "" });
  });

  test("from JSON with a list of text parts, with --no-stream", async () => {
    const { run } = await answering('{"choices":[{"message":{"content":[{"type":"text","text":"PAID"}]}}]}');
    expect(await run(`${ask} --no-stream`, service)).toMatchObject({ code: 0, out: "PAID\n" });
  });

  test.each(["", " --no-stream"])(
    "with arguments of a tool call that are nested too deeply for JavaScript: chat%s",
    async (flags) => {
      const call = `{"function":{"name":"f","arguments":${deep}}}`;
      const { run } = await answering(
        `{"choices":[{"message":{"content":"PAID","tool_calls":[${call}]},"finish_reason":"tool_calls"}]}`,
        "application/json",
      );
      expect(await run(`${ask}${flags}`, service)).toMatchObject({ code: 0, out: "PAID\n" });
    },
  );

  test("even if its text is empty", async () => {
    const { run } = await answering('{"choices":[{"message":{"role":"assistant","content":""}}]}');
    expect(await run(ask, service)).toMatchObject({ code: 0, out: "" });
  });
});

describe("chat with an unexpected or incomplete response", () => {
  const error = '{"code":"FORBIDDEN","message":"not for you","issues":[]}';
  test.each([
    ["half of a JSON document", 10, "application/json", whole.slice(0, -3)],
    [
      "reasoning without text",
      7,
      "application/json",
      '{"choices":[{"message":{"content":null,"reasoning_content":"PAID"}}]}',
    ],
    ["a choice of another format", 7, events, 'data: {"choices":[{"text":"PAID"}]}\n\ndata: [DONE]\n\n'],
    ["an error of the service in a stream", 7, events, `data: ${error}\n\ndata: [DONE]\n\n`],
    ["an error of the service", 7, "application/json", error],
    ["an empty object", 7, "application/json", "{}"],
    ["only the end of a stream", 7, events, "data: [DONE]\n\n"],
    ["plain text", 9, "text/plain", "PAID"],
  ])("saves the response if it is %s", async (_name, code, type, body) => {
    const { run, folder } = await answering(body, type);
    const outcome = await run(ask, service);
    expect(outcome).toMatchObject({ code, out: "" });
    const [file = ""] = await readdir(folder);
    expect(outcome.err).toContain(file);
    expect(await readFile(join(folder, file), "utf8")).toBe(body);
  });

  test.each(["--no-stream", "-o json"])(
    "saves the response if it is an error of the service or an empty object, with %s",
    async (flag) => {
      for (const body of [error, "{}"]) {
        const { run, folder } = await answering(body, "application/json");
        expect(await run(`${ask} ${flag}`, service)).toMatchObject({ code: 7, out: "" });
        const [file = ""] = await readdir(folder);
        expect(await readFile(join(folder, file), "utf8")).toBe(`${body}\n`);
      }
    },
  );

  test("saves the response and prints the text after an event that cannot be read", async () => {
    const body = `data: {oops\n\ndata: ${delta}\n\ndata: [DONE]\n\n`;
    const { run, folder } = await answering(body, events);
    expect(await run(ask, service)).toMatchObject({ code: 9, out: "PAID\n" });
    const [file = ""] = await readdir(folder);
    expect(await readFile(join(folder, file), "utf8")).toBe(body);
  });

  test.each([
    ["a number", "42", " (code 42)"],
    ["a number that JavaScript would change", "12345678901234567890", " (code 12345678901234567890)"],
    ["an object without toString", '{"toString":1}', ""],
    ["a deep list", deep, ""],
  ])("says why a stream ended, if the code of its error is %s", async (_name, code, shown) => {
    const { run } = await answering(
      `data: ${delta}\n\ndata: {"error":{"message":"out of memory","code":${code}}}\n\n`,
      events,
    );
    const outcome = await run(ask, service);
    expect(outcome).toMatchObject({ code: 9, out: "PAID\n" });
    expect(outcome.err).toContain(`out of memory${shown} (POST`);
  });

  test.each(["--no-stream", "-o json", "-o yaml"])(
    "says why an answer that is not streamed is incomplete, with %s",
    async (flag) => {
      const half =
        '{"choices":[{"message":{"content":"PAID"},"finish_reason":"error"}],"error":{"message":"upstream died","code":502}}';
      const { run } = await answering(half, "application/json");
      const outcome = await run(`${ask} --session s ${flag}`, service);
      expect(outcome.code, outcome.err).toBe(9);
      expect(outcome.out).toContain("PAID");
      expect(outcome.err).toContain("the response was cut off: upstream died (code 502)");
      const shown = await run("chat sessions show s -o json");
      expect(shown.out).toContain('"incomplete": "cut off: upstream died (code 502)"');
    },
  );

  test.each(["", "-o jsonl", "--no-stream", "-o json"])(
    "says why there is no answer, with %j",
    async (flag) => {
      const failed =
        '{"choices":[{"message":{"content":""}}],"error":{"message":"upstream died","code":502}}';
      for (const body of [failed, '{"error":{"message":"upstream died","code":502}}']) {
        const { run, folder } = await answering(body, "application/json");
        const outcome = await run(`${ask} ${flag}`, service);
        expect(outcome.code, outcome.err).toBe(body === failed ? 9 : 7);
        expect(outcome.err).toContain("upstream died (code 502)");
        const saved = (await readdir(folder)).filter((name) => name !== "state");
        if (!flag.startsWith("-o") || body !== failed) expect(saved).toHaveLength(1);
      }
    },
  );

  test("does not save the response if all its text was printed", async () => {
    const { run, folder } = await answering(`data: ${delta}\n\n`, events);
    expect(await run(ask, service)).toMatchObject({ code: 9, out: "PAID\n" });
    // The state folder contains the session with the answer.
    expect(await readdir(folder)).toEqual(["state"]);
  });
});
