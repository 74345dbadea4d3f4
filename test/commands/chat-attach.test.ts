import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inputLimits } from "../../src/core/values/input-limits.ts";
import { createCli } from "../support/cli.ts";
import { always, overNetwork } from "../support/service.ts";

const service = overNetwork();
const ask = "chat Hello --model llama";
const answer = (content: string, more: object = {}) =>
  always(200, { model: "llama", choices: [{ message: { content }, finish_reason: "stop" }], ...more });

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const pictures = {
  "image/png": png,
  "image/jpeg": Buffer.from("ffd8ffe000104a464946", "hex"),
  "image/gif": Buffer.from("GIF89a\x01\x00", "latin1"),
  "image/webp": Buffer.from("RIFF\x24\x00\x00\x00WEBPVP8 ", "latin1"),
};

/** A CLI with these files in its folder. */
async function withFiles(files: Readonly<Record<string, string | Uint8Array>>, content = "ok") {
  const cli = await createCli({ respond: answer(content) });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(cli.folder, name), bytes);
  const contentSent = async (line: string, stdin?: string | Uint8Array) => {
    const outcome = await cli.run(line, { ...service, ...(stdin !== undefined && { stdin }) });
    const { messages = [] } = Object(outcome.requests[0]?.body);
    return { ...outcome, content: messages.at(-1)?.content };
  };
  return { ...cli, contentSent };
}

describe("chat --attach", () => {
  test("puts the contents of text files, with their names, before the message", async () => {
    const { contentSent } = await withFiles({ "a.log": "ECC error\n", "b.txt": "né" });
    const { code, content } = await contentSent(`${ask} --attach a.log --attach b.txt`);
    expect({ code, content }).toEqual({
      code: 0,
      content: '<file name="a.log">\nECC error\n</file>\n\n<file name="b.txt">\nné\n</file>\n\nHello',
    });
  });

  test.each(Object.entries(pictures))(
    "sends a picture as %s, whatever the name of its file",
    async (type, bytes) => {
      const { contentSent } = await withFiles({ picture: bytes });
      expect((await contentSent(`${ask} --attach picture`)).content).toEqual([
        { type: "text", text: "Hello" },
        { type: "image_url", image_url: { url: `data:${type};base64,${bytes.toString("base64")}` } },
      ]);
    },
  );

  test("sends a URL of a picture unchanged, and does not fetch the picture", async () => {
    const { contentSent } = await withFiles({ "a.txt": "x" });
    const { content, requests } = await contentSent(
      `${ask} --attach https://example.com/gpu.png --attach a.txt`,
    );
    expect(content).toEqual([
      { type: "text", text: '<file name="a.txt">\nx\n</file>\n\nHello' },
      { type: "image_url", image_url: { url: "https://example.com/gpu.png" } },
    ]);
    expect(requests).toHaveLength(1);
  });

  test("attaches stdin with --attach -, and does not add it to the message a second time", async () => {
    const { contentSent } = await withFiles({});
    expect((await contentSent(`${ask} --attach -`, "piped")).content).toBe(
      '<file name="stdin">\npiped\n</file>\n\nHello',
    );
    expect((await contentSent(`${ask} --attach -`, png)).content).toHaveLength(2);
  });

  test.each([
    ["a PDF file", "%PDF-1.7\n", "pdftotext"],
    ["a wav file", Buffer.from("RIFF\x24\x00\x00\x00WAVEfmt ", "latin1"), "cannot be attached"],
    ["a binary file", Buffer.from([1, 0, 2]), "this file is neither text in UTF-8 nor an image"],
    ["text in Latin-1", Buffer.from("n\xe9", "latin1"), "this file is neither text in UTF-8 nor an image"],
    ["text in UTF-16", Buffer.from("\ufeffné", "utf16le"), "Attach text in UTF-8, or a PNG"],
  ])("rejects %s", async (_what, bytes, message) => {
    const { contentSent } = await withFiles({ file: bytes });
    const { code, err, requests } = await contentSent(`${ask} --attach file`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("--attach file");
    expect(err).toContain(message);
  });

  test("rejects a missing file, a file that is too large, a URL with a password, and stdin twice", async () => {
    const { contentSent } = await withFiles({ large: "x".repeat(inputLimits.text + 1) });
    for (const place of ["nowhere.txt", "large", "https://me:secret@example.com/x.png"]) {
      const { code, err, requests } = await contentSent(`${ask} --attach ${place}`);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain("--attach");
      expect(err).not.toContain("secret");
    }
    expect(await contentSent(`${ask} --attach - --attach -`, "x")).toMatchObject({ code: 2, requests: [] });
  });
});

describe("chat --schema", () => {
  const schema = JSON.stringify({
    type: "object",
    properties: { gpus: { $ref: "#/$defs/count" } },
    required: ["gpus"],
    additionalProperties: false,
    $defs: { count: { type: "integer", minimum: 1 } },
  });

  test("requests an answer that matches the schema, and accepts such an answer", async () => {
    const { run } = await withFiles({ "gpu plan.schema.json": schema }, '{"gpus":2}');
    for (const flags of [[], ["-o", "json"], ["-o", "jsonl"], ["--no-stream"]]) {
      const line = ["chat", "Hello", "-m", "llama", "--schema", "gpu plan.schema.json", ...flags];
      const { code, err, requests } = await run(line, service);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      expect(requests[0]?.body).toMatchObject({
        response_format: {
          type: "json_schema",
          json_schema: { name: "gpu_plan", strict: true, schema: JSON.parse(schema) },
        },
      });
    }
  });

  test("prints the answer as it is, also on a terminal", async () => {
    const answer = '{\n  "name": "__init__",\n  "path": "C:\\\\temp\\\\*.log"\n}';
    const { run } = await withFiles({ "s.json": '{"type":"object"}' }, answer);
    const { out } = await run(`${ask} --schema s.json`, { ...service, terminal: 80 });
    expect(out).toBe(`${answer}\n`);
    const conversation = await run("chat -m llama --schema s.json", {
      ...service,
      terminal: 80,
      lines: ["Hi"],
    });
    expect(conversation.out).toContain(answer);
  });

  test("a dry run shows the same request on a terminal as in a pipe", async () => {
    const { run } = await withFiles({});
    const line = 'chat "Rename __init__ to *main*" -m llama --dry-run';
    const { out } = await run(line, { ...service, terminal: 80 });
    expect(out).toContain('"content": "Rename __init__ to *main*"');
    expect(out).toBe((await run(line, service)).out);
  });

  test.each([
    ["Sure! 2 GPUs.", "the answer is not JSON"],
    ['{"gpus":0}', "gpus must be at least 1"],
    ["{}", "gpus is required"],
    ['{"gpus":1,"x":1}', "x is not in the schema"],
  ])("prints an answer that does not match the schema, and fails: %s", async (text, message) => {
    const { run } = await withFiles({ "s.json": schema }, text);
    for (const flags of ["", "--no-stream"]) {
      const { code, out, err } = await run(`${ask} --schema s.json ${flags}`, service);
      expect({ code, out }).toEqual({ code: 7, out: `${text}\n` });
      expect(err).toContain(message);
    }
    const json = await run(`${ask} --schema s.json -o json`, service);
    expect(json).toMatchObject({ code: 7, err: expect.stringContaining("SCHEMA_MISMATCH") });
    expect(JSON.parse(json.out).choices[0].message.content).toBe(text);
  });

  test.each([
    [
      "length",
      "the answer is not JSON: it was cut at the token limit",
      "--max-tokens (in a conversation, `/set max_tokens`) raises it.",
    ],
    ["content_filter", "the answer is not JSON: it was withheld in part by the service", undefined],
  ])("names the reason if the answer is incomplete, with finish reason %s", async (finish, message, hint) => {
    const body = { choices: [{ message: { content: '{"gpus":' }, finish_reason: finish }] };
    const { folder, run } = await createCli({ respond: () => Response.json(body) });
    await writeFile(join(folder, "s.json"), schema);
    const { code, out, err } = await run(`${ask} --schema s.json -o json`, service);
    expect({ code, out: JSON.parse(out) }).toMatchObject({ code: 7, out: body });
    expect(JSON.parse(err).error).toMatchObject({ message, hint: hint ?? null });
  });

  test.each([{}, { not: { pattern: "^a" } }, { required: ["a"] }])(
    "if a pattern of the schema takes too long, says that the answer was not checked: %j",
    async (more) => {
      const slow = JSON.stringify({ ...more, type: "string", allOf: [{ pattern: "^(a+)+$" }] });
      const { run } = await withFiles({ "s.json": slow }, `"${"a".repeat(38)}!"`);
      const { code, err } = await run(`${ask} --schema s.json`, service);
      expect(code).toBe(0);
      expect(err).toContain("The answer was not checked, because its schema is too complex");
    },
  );

  test.each(["no JSON", "[]", '{"type":"nothing"}', '{"$ref":"#/$defs/missing"}', '{"minimum":"1"}'])(
    "rejects an invalid schema: %s",
    async (text) => {
      const { run } = await withFiles({ "s.json": text });
      const { code, err, requests } = await run(`${ask} --schema s.json`, service);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain("--schema s.json");
    },
  );

  test.each(['{"a":"x","b":"y"}', "5"])(
    "fails for an answer that matches several of `oneOf`: %s",
    async (text) => {
      const oneOf = [{ required: ["a"] }, { required: ["b"] }, { required: ["c"], type: "object" }];
      const { run } = await withFiles({ "s.json": JSON.stringify({ oneOf }) }, text);
      const { code, out, err } = await run(`${ask} --schema s.json`, service);
      expect({ code, out }).toEqual({ code: 7, out: `${text}\n` });
      expect(err).toContain("must match exactly one of several schemas");
    },
  );

  test.each(["draft-06", "draft-07"])("checks an answer against a schema of %s", async (draft) => {
    const old = JSON.stringify({
      $schema: `http://json-schema.org/${draft}/schema#`,
      $id: "https://a.example",
      ...JSON.parse(schema),
    });
    const { run } = await withFiles({ "s.json": old }, '{"gpus":"2"}');
    expect(await run(`${ask} --schema s.json`, service)).toMatchObject({ code: 7, out: '{"gpus":"2"}\n' });
  });

  test.each([
    ["19.99", 0.01, 0],
    ["0.07", 0.01, 0],
    ["12345678.91", 0.01, 0],
    ["0.3", 0.1, 0],
    ["19.995", 0.01, 7],
    ["7", 2, 7],
    ["1700000000000001", 1000, 7],
    ["1e-18", 0.01, 7],
    ["-0.3", 0.1, 0],
  ])("checks exactly whether %s is a multiple of %d", async (text, multipleOf, code) => {
    const { run } = await withFiles({ "s.json": JSON.stringify({ type: "number", multipleOf }) }, text);
    const outcome = await run(`${ask} --schema s.json`, service);
    expect(outcome, outcome.err).toMatchObject({ code, out: `${text}\n` });
    if (code !== 0) expect(outcome.err).toContain(`must be a multiple of ${multipleOf}`);
  });

  test.each([
    ["^\\p{L}+$", '["Zoë","555-0100"]', 0],
    ["^\\p{L}+$", '["7","555-0100"]', 7],
    ["^\\p{L}+\\-$", '["Zoë","555-0100"]', 2],
  ])(
    "uses the Unicode flag for each pattern that is valid with it, and requires the flag for \\p{L}: %s, %s",
    async (pattern, text, code) => {
      const phone = { pattern: String.raw`^\d{3}\-\d{4}$` };
      const tuple = JSON.stringify({ type: "array", prefixItems: [{ pattern }, phone] });
      const { run } = await withFiles({ "s.json": tuple }, text);
      const outcome = await run(`${ask} --schema s.json`, service);
      expect(outcome, outcome.err).toMatchObject({ code, out: code === 2 ? "" : `${text}\n` });
    },
  );

  test.each([
    ['"a@b.com"', 0],
    ['"ab.com"', 7],
  ])("checks a pattern with escapes that are valid only without the Unicode flag: %s", async (text, code) => {
    const pattern = String.raw`^[\w\.]+\@\w+\.com$`;
    const { run } = await withFiles({ "s.json": JSON.stringify({ type: "string", pattern }) }, text);
    expect(await run(`${ask} --schema s.json`, service)).toMatchObject({ code, out: `${text}\n` });
  });

  test.each([
    ['["a",1]', 0],
    ['["a","b"]', 7],
  ])("checks a tuple of draft-07: %s", async (text, code) => {
    const tuple = JSON.stringify({
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { count: { type: "number" } },
      type: "array",
      items: [{ type: "string" }, { $ref: "#/definitions/count" }],
      additionalItems: false,
    });
    const { run } = await withFiles({ "s.json": tuple }, text);
    expect(await run(`${ask} --schema s.json`, service)).toMatchObject({ code, out: `${text}\n` });
  });
});

describe("the cost of a chat", () => {
  const usage = { usage: { prompt_tokens: 1_000, completion_tokens: 37 } };
  const priced = async (prices: string, more: object = usage) => {
    const { run } = await createCli({ respond: answer("ok", more) });
    expect(await run(["config", "set", "chat.prices", prices])).toMatchObject({ code: 0 });
    return run(`${ask} --usage`, service);
  };

  test("is computed exactly from the prices of the model", async () => {
    expect((await priced("org/qwen:8b=9/9,llama=0.60/2.40")).err).toBe(
      "Tokens: 1000 in, 37 out, $0.0006888\n",
    );
    expect((await priced("llama=0.1/$0.3")).err).toBe("Tokens: 1000 in, 37 out, $0.0001111\n");
  });

  test.each([
    ["chat.prices", "llama=1/1", "chat.prices of profile"],
    ["budget.maxCost", "11.5", "budget.maxCost of profile"],
  ])("is not computed if %s is invalid, and nothing is stored or sent", async (key, value, named) => {
    const { run, folder } = await createCli({ respond: answer("ok", usage) });
    await run(["config", "set", key, value]);
    const path = join(folder, "config", "config.json");
    await writeFile(path, (await readFile(path, "utf8")).replace(value, "llama=1"));
    for (const line of [ask, `${ask} -o json`, `${ask} --session s`]) {
      const { code, out, err, requests } = await run(line, service);
      expect({ code, out, requests }, line).toEqual({ code: 2, out: "", requests: [] });
      expect(err).toContain(named);
    }
    const conversation = await run("chat -m llama", { ...service, terminal: 80, lines: ["Hello"] });
    expect(conversation).toMatchObject({ code: 2, requests: [] });
    expect((await run("chat sessions list -o id")).out).toBe("");
  });

  test("includes reasoning that the service counts only in the total", async () => {
    const total = { usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 1_030 } };
    expect((await priced("llama=0.30/0.50", total)).err).toBe("Tokens: 10 in, 1020 out, $0.000513\n");
    // A total that is too small is ignored.
    const small = { usage: { ...usage.usage, total_tokens: 0 } };
    expect((await priced("llama=0.60/2.40", small)).err).toBe("Tokens: 1000 in, 37 out, $0.0006888\n");
  });

  test("is not shown if there is no price or no token count", async () => {
    expect((await priced("other=1/1")).err).toBe("Tokens: 1000 in, 37 out\n");
    expect((await priced("llama=1/1", { usage: { prompt_tokens: null, completion_tokens: 3 } })).err).toBe(
      "Tokens: ? in, 3 out\n",
    );
  });
});
