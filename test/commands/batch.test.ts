import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { JournalCosts, readJournal } from "../../src/batch/journal.ts";
import { exit } from "../../src/cli/report/exit.ts";
import { Interrupted } from "../../src/core/errors.ts";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { inputLimits } from "../../src/core/values/input-limits.ts";
import { type Cli, createCli, type Responder } from "../support/cli.ts";
import { base64, tinyPng } from "../support/pictures.ts";
import { key, overNetwork } from "../support/service.ts";
import { thorough } from "../support/thorough.ts";
import { words } from "../support/words.ts";

const chat = (id: string, content = `Question ${id}`, more: object = {}) => ({
  custom_id: id,
  method: "POST",
  url: "/v1/chat/completions",
  body: { model: "m", messages: [{ role: "user", content }], ...more },
});
const image = (id: string, more: object = {}) => ({
  custom_id: id,
  method: "POST",
  url: "/v1/image/generation",
  body: { model_name: "SDXL1.0-base", prompt: "a lighthouse", ...more },
});

const write = (cli: Cli, lines: readonly object[], name = "in.jsonl") =>
  writeFile(join(cli.folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const read = (cli: Cli, name: string) => readFile(join(cli.folder, name), "utf8");

interface OutputLine {
  readonly custom_id: string;
  readonly response: { status_code: number; request_id: string | null; body: never } | null;
  readonly error: { code: string; message: string; path?: string; sha256?: string } | null;
}
/** The lines of an output file, sorted by ID, because concurrent requests end in any order. */
const output = async (cli: Cli, name = "out.jsonl"): Promise<readonly OutputLine[]> =>
  (await read(cli, name))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as OutputLine)
    .sort((one, other) => (one.custom_id < other.custom_id ? -1 : 1));

const answer = (headers = {}) =>
  Response.json({ choices: [{ message: { role: "assistant", content: "Hi" } }] }, { headers });
const refusal = (status: number, headers = {}) =>
  Response.json({ code: `E${status}`, message: `Refused with ${status}`, issues: [] }, { status, headers });

/** Responds with `respond`, which gets the text of the question and the number of the attempt. */
const service = (respond: (text: string, attempt: number) => Response | Promise<Response>): Responder => {
  const attempts = new Map<string, number>();
  return ({ body }) => {
    const { messages, prompt } = body as { messages?: { content: string }[]; prompt?: string };
    const text = messages?.[0]?.content ?? prompt ?? "";
    attempts.set(text, (attempts.get(text) ?? 0) + 1);
    return respond(text, attempts.get(text) ?? 0);
  };
};

const run = "batch run in.jsonl --out out.jsonl";

describe("batch run", () => {
  test("rejects a line that is nested too deeply", async () => {
    const cli = await createCli({ respond: () => answer() });
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const withExtra = (extra: string) =>
      JSON.stringify(chat("a", "hi", { user: 0 })).replace('"user":0', `"user":${extra}`);
    const problem = "the line is nested more than 500 levels deep";
    await writeFile(join(cli.folder, "in.jsonl"), `${withExtra(deep(20_000))}\n`);
    const lines = await cli.run(run, overNetwork());
    expect(lines).toMatchObject({ code: 2, requests: [] });
    expect(lines.err).toContain(`in.jsonl:1: ${problem}`);
    await writeFile(join(cli.folder, "in.csv"), `prompt,lora\na,"{""a"":${deep(20_000)}}"\n`);
    const rows = await cli.run("batch run --prompts in.csv --endpoint image --out csv.jsonl", overNetwork());
    expect(rows).toMatchObject({ code: 2, requests: [] });
    expect(rows.err).toContain(problem);
  });

  test("writes a result for each line, and sends nothing when it is repeated", async () => {
    const cli = await createCli({ respond: () => answer({ "x-request-id": "req_1" }) });
    await write(cli, [chat("a"), chat("b")]);
    const first = await cli.run(`${run} -o json`, overNetwork());
    expect(JSON.parse(first.out)).toMatchObject({ lines: 2, succeeded: 2, failed: 0, unknown: 0, left: 0 });
    expect(first.requests).toHaveLength(2);
    expect(first.requests[0]?.body).toEqual(chat("a").body);
    const lines = await output(cli);
    expect(lines.map(({ custom_id }) => custom_id).sort()).toEqual(["a", "b"]);
    expect(lines[0]).toEqual({
      id: expect.stringMatching(/^batch_req_\w+$/),
      custom_id: expect.any(String),
      response: {
        status_code: 200,
        request_id: "req_1",
        body: { choices: [{ message: { role: "assistant", content: "Hi" } }] },
      },
      error: null,
    });
    const second = await cli.run(run, overNetwork());
    expect({ code: second.code, requests: second.requests }).toEqual({ code: 0, requests: [] });
  });

  test("sends only an edited line again, and keeps the replaced result in another file", async () => {
    const cli = await createCli({ respond: service((text) => Response.json({ choices: [text] })) });
    await write(cli, [chat("a"), chat("b")]);
    await cli.run(run, overNetwork());
    await write(cli, [
      { ...chat("a"), body: { messages: chat("a").body.messages, model: "m" } },
      chat("b", "New"),
    ]);
    const { requests } = await cli.run(run, overNetwork());
    expect(requests.map(({ body }) => body)).toEqual([chat("b", "New").body]);
    const lines = await output(cli);
    expect(lines.map(({ custom_id, response }) => [custom_id, response?.body])).toEqual([
      ["a", { choices: ["Question a"] }],
      ["b", { choices: ["New"] }],
    ]);
    expect(await output(cli, "out.jsonl.replaced")).toMatchObject([{ custom_id: "b" }]);
  });

  test("lists each invalid line with its problem, and sends nothing", async () => {
    const cli = await createCli();
    await write(cli, [
      chat("a"),
      { ...image("b", { width: 1000 }), url: "/v1/images" },
      image("c", { width: 1000 }),
      image("d", { lora: { Nope: 2 } }),
      chat("a"),
      { ...chat("e"), method: "GET" },
      chat("f", "x", { stream: true }),
    ]);
    const { code, err, requests, out } = await cli.run(run);
    expect({ code, requests, out }).toEqual({ code: exit.usage, requests: [], out: "" });
    expect(err).toMatch(/in\.jsonl:2: url must be one of \/v1\/chat\/completions, .*, not "\/v1\/images"$/m);
    expect(err).toMatch(/in\.jsonl:3: body\.width: 1000x1024 is not a supported resolution/);
    expect(err).toMatch(/in\.jsonl:4: body\.lora/);
    expect(err).toMatch(/in\.jsonl:5: custom_id "a" is already used in line 1/);
    expect(err).toMatch(/in\.jsonl:6: method must be "POST", not "GET"/);
    expect(err).toMatch(/in\.jsonl:7: body\.stream must not be true/);
    expect(await readdir(cli.folder)).not.toContain("out.jsonl");
  });

  test("shows the price in a dry run, and writes nothing", async () => {
    const cli = await createCli();
    await write(cli, [
      image("a", { steps: 25 }),
      image("b", { steps: 25, width: 2048, height: 2048 }),
      chat("c"),
    ]);
    const { code, out, requests } = await cli.run(`${run} --dry-run -o json`);
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(JSON.parse(out)).toMatchObject({
      lines: 3,
      image: 2,
      chat: 1,
      toSend: 3,
      dollars: 0.05,
      unpriced: 1,
    });
    expect(await readdir(cli.folder)).toEqual(["in.jsonl"]);
  });

  test("does not mistake another batch for its own in a dry run without --out", async () => {
    const cli = await createCli({ respond: () => answer() });
    await write(cli, [chat("a"), chat("b")], "batch.jsonl");
    const asInput = await cli.run("batch run batch.jsonl --dry-run -o json");
    expect(asInput.code, asInput.err).toBe(exit.done);
    await rm(join(cli.folder, "batch.jsonl"));
    await write(cli, [chat("a"), chat("b")]);
    await cli.run("batch run in.jsonl --out batch.jsonl", overNetwork());
    const { out } = await cli.run("batch run in.jsonl --dry-run -o json", overNetwork());
    expect(JSON.parse(out)).toMatchObject({ lines: 2, toSend: 2 });
  });

  test("sends a line again after a 429, and counts failed lines and unknown outcomes", async () => {
    const respond = service((text, attempt) => {
      if (text.endsWith("slow") && attempt === 1) return refusal(429, { "retry-after": "3" });
      if (text.endsWith("bad")) return refusal(400);
      if (text.endsWith("broken")) return refusal(500);
      return answer();
    });
    const cli = await createCli({ respond });
    await write(cli, [chat("slow"), chat("bad"), chat("broken"), chat("good")]);
    const { code, out, err, slept } = await cli.run(`${run} -o json`, overNetwork());
    expect(code).toBe(exit.someFailed);
    expect(JSON.parse(out)).toMatchObject({ succeeded: 2, failed: 1, unknown: 1, left: 0 });
    expect(slept).toContain(3000);
    expect(err).toContain("batch retry");
    const byId = Object.fromEntries((await output(cli)).map((line) => [line.custom_id, line]));
    expect(byId.bad).toMatchObject({ response: { status_code: 400, body: { code: "E400" } }, error: null });
    expect(byId.broken).toMatchObject({ response: { status_code: 500 }, error: null });

    const again = await cli.run(run, overNetwork());
    expect({ code: again.code, requests: again.requests }).toEqual({ code: exit.someFailed, requests: [] });
    const shown = await cli.run("batch retry out.jsonl --unknown --dry-run");
    expect(shown.err).toMatch(/^Lines that would be marked: \d+\. None was marked: this is a dry run\.\n$/);
    const marked = await cli.run("batch retry out.jsonl --unknown -o json");
    expect(JSON.parse(marked.out)).toEqual([{ custom_id: "broken" }]);
    const last = await cli.run(run, overNetwork());
    expect(last.requests).toHaveLength(1);
    expect((await output(cli)).map(({ custom_id }) => custom_id).sort()).toEqual([
      "bad",
      "broken",
      "good",
      "slow",
    ]);
  });

  test("waits at most twice the requested time if the system's clock is set back during the wait", async () => {
    let sleeps = Number.NaN;
    const cli = await createCli({
      respond: service((_, attempt) => {
        if (attempt === 1) sleeps = 0;
        return attempt === 1 ? refusal(429, { "retry-after": "7" }) : answer();
      }),
    });
    await write(cli, [chat("a")]);
    const onSleep = () => {
      sleeps += 1;
      // The first sleep delays a write of the journal. The second one is the wait that the service asked for.
      if (sleeps === 2) cli.advance(-3_600_000);
    };
    const { code, slept } = await cli.run(run, { ...overNetwork(), onSleep });
    expect(code).toBe(0);
    expect(slept.filter((milliseconds) => milliseconds >= 1_000)).toEqual([7_000, 7_000]);
  });

  test("if a response is not text, saves it unchanged in a file", async () => {
    const speech = { custom_id: "b", method: "POST", url: "/v1/audio/generation", body: { text: "Hi" } };
    const bodies = {
      a: gzipSync(JSON.stringify({ choices: [{ message: { role: "assistant", content: "Paid" } }] })),
      b: Buffer.concat([Buffer.from("RIFF\xa4\x01\0\0WAVEfmt ", "latin1"), randomBytes(400)]),
    };
    const headers = { "content-encoding": "gzip" };
    const cli = await createCli({
      respond: ({ path }) =>
        path.endsWith("/generation") ? new Response(bodies.b) : new Response(bodies.a, { headers }),
    });
    await write(cli, [chat("a"), speech]);
    const { code, requests } = await cli.run(run, overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: 12, sent: 2 });
    const lines = await output(cli);
    expect(lines.map(({ custom_id }) => custom_id)).toEqual(["a", "b"]);
    for (const { custom_id: id, response, error } of lines) {
      const body = bodies[id === "a" ? "a" : "b"];
      const { path = "", sha256 } = error ?? {};
      expect({ response, error }).toMatchObject({
        response: null,
        error: {
          code: "UNUSABLE_RESPONSE",
          message: expect.stringContaining(`the response was saved to ${path}`),
        },
      });
      expect(path).toContain(join(cli.folder, "out.files"));
      expect((await readFile(path)).equals(body)).toBe(true);
      expect(sha256).toBe(createHash("sha256").update(body).digest("hex"));
    }
    const again = await cli.run(run, overNetwork());
    expect({ code: again.code, requests: again.requests }).toEqual({ code: 12, requests: [] });
  });

  test.each([
    ["a broken end", (picture: string) => `{"images":[{"image":"${picture}"}`],
    [
      "an error",
      (picture: string) =>
        `{"images":[{"image":"${picture}"}],"code":"E1","message":"Half done","issues":[]}`,
    ],
  ])("keeps a picture in the output if the response has %s", async (_, bodyOf) => {
    const body = bodyOf(base64(tinyPng()));
    const cli = await createCli({ respond: () => new Response(body) });
    await write(cli, [image("a")]);
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: 12 });
    const [line] = await output(cli);
    expect(JSON.stringify(line?.response?.body)).toContain(base64(tinyPng()));
  });

  test.each([
    ["on one line", "image", "{}"],
    ["on one line", "audio", "{}"],
    ["on several lines, with an error", "image", '{\n"code":"E1","message":"Half done","issues":[]}\n'],
    ["on several lines, with an error", "audio", '{\n"code":"E1","message":"Half done","issues":[]}\n'],
  ])(
    "if no value of a repeated key can be decoded, writes every value to the output (JSON %s; key: %s)",
    async (_, key, end) => {
      const results = ["first", "second", "third"].map((text) => `${base64(Buffer.from(text.repeat(30)))}!`);
      const repeated = results.map((result) => `"${key}":"${result}"`).join();
      const media = key === "image" ? `"images":[{${repeated}}]` : repeated;
      const body = end === "{}" ? `{${media}}` : end.replace("{", `{${media},`);
      const speech = { custom_id: "a", method: "POST", url: "/v1/audio/generation", body: { text: "Hi" } };
      const cli = await createCli({ respond: () => new Response(body) });
      await write(cli, [key === "image" ? image("a") : speech]);
      expect(await cli.run(run, overNetwork())).toMatchObject({ code: 12 });
      const lines = await output(cli);
      expect(lines).toMatchObject([
        {
          response: { body: { response: JSON.parse(body), repeated: results.slice(0, -1) } },
          error: { code: "UNUSABLE_RESPONSE" },
        },
      ]);
    },
  );

  test.each([
    [
      "in the list",
      "a-1.png",
      (good: string, bad: string) => `{"images":[{"image":"${good}"},{"image":"${bad}"}]}`,
    ],
    [
      "under a repeated key",
      "a.png",
      (good: string, bad: string) => `{"images":[{"image":"${bad}","image":"${good}"}]}`,
    ],
  ])("keeps an undecodable picture, and saves another picture: %s", async (_, name, bodyOf) => {
    // The bad text is longer than 512 characters. A shorter one is decoded only when all of it has arrived.
    const [good, bad] = [base64(tinyPng()), `${base64(randomBytes(1000))}!`];
    const cli = await createCli({ respond: () => new Response(bodyOf(good, bad)) });
    await write(cli, [image("a")]);
    expect((await cli.run(run, overNetwork())).code).toBe(exit.someFailed);
    const [line] = await output(cli);
    const { path = "", sha256, message, code } = line?.error ?? {};
    expect(code).toBe("UNUSABLE_RESPONSE");
    expect(message).toBe(
      `the response cannot be decoded: it contains characters that are not base64; the response was saved to ${path}`,
    );
    const kept = await readFile(path);
    expect(kept.toString()).toBe(bodyOf(good, bad));
    expect(sha256).toBe(createHash("sha256").update(kept).digest("hex"));
    expect(line?.response?.body).toMatchObject({ images: [{ path: `out.files/${name}` }] });
    expect(await readdir(join(cli.folder, "out.files"))).toContain(name);
  });

  test("saves media of an unknown format with the extension bin, even if the ID of the line has an extension", async () => {
    const bytes = Buffer.from("raw samples");
    const cli = await createCli({
      respond: ({ path }) =>
        Response.json(
          path.endsWith("/audio/generation")
            ? { audio: base64(bytes) }
            : { images: [{ image: base64(bytes) }] },
        ),
    });
    const speech = { method: "POST", url: "/v1/audio/generation", body: { text: "Hi" } };
    await write(cli, [{ custom_id: "hi", ...speech }, { custom_id: "page.html", ...speech }, image("a.png")]);
    expect((await cli.run(run, overNetwork())).code).toBe(0);
    expect((await readdir(join(cli.folder, "out.files"))).sort()).toEqual([
      "a.png.bin",
      "hi.bin",
      "page.html.bin",
    ]);
  });

  test("creates no folder for files if the service refuses the request for a picture", async () => {
    const cli = await createCli({ respond: () => refusal(401) });
    await write(cli, [image("a")]);
    expect((await cli.run(run, overNetwork())).code).toBe(exit.credential);
    expect((await readdir(cli.folder)).filter((name) => name.includes(".files"))).toEqual([]);
  });

  test("saves the received part of a truncated response", async () => {
    const start = '{"choices":[{"message":{"role":"assistant","content":"Half an ans';
    const cli = await createCli({
      respond: () => {
        let isSent = false;
        const body = new ReadableStream({
          pull: (controller) => {
            if (isSent) controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
            else controller.enqueue(Buffer.from(start));
            isSent = true;
          },
        });
        return new Response(body);
      },
    });
    await write(cli, [chat("a"), image("b")]);
    expect(await cli.run(run, overNetwork())).toMatchObject({ code: 12 });
    for (const { error } of await output(cli)) {
      const { path = "", message } = error ?? {};
      expect(message).toContain(`; the incomplete response was saved to ${path}`);
      expect(await readFile(path, "utf8")).toBe(start);
    }
  });

  test("stops if the service rejects the key, and the next run sends the remaining lines", async () => {
    const cli = await createCli({
      respond: service((_, attempt) => (attempt === 1 ? refusal(401) : answer())),
    });
    await write(cli, [chat("a")]);
    expect((await cli.run(run, overNetwork())).code).toBe(exit.credential);
    expect((await cli.run(run, overNetwork())).code).toBe(exit.done);
  });

  test("stops after --give-up-after if the service keeps responding with 429, and says how many lines are left", async () => {
    const cli = await createCli({ respond: () => refusal(429) });
    await write(cli, [chat("a"), chat("b")]);
    const { code, err } = await cli.run(`${run} --give-up-after 5s`, overNetwork());
    expect(code).toBe(exit.network);
    expect(err).toContain("2 of 2 lines are left: Refused with 429");
  });

  test("says how long the service asks to wait if that is longer than --give-up-after", async () => {
    const headers = { "retry-after": "7200" };
    const cli = await createCli({ respond: () => new Response(null, { status: 429, headers }) });
    await write(cli, [chat("a")]);
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: exit.network, sent: 1 });
    expect(err).toContain("1 of 1 lines are left: empty response body (the service returned 429)");
    expect(err).toContain("The service asks to wait 2h. Run the same command line again to send the rest.");
  });

  test("stops if a 503 asks for a wait that is longer than --give-up-after", async () => {
    const cli = await createCli({
      respond: service((text) =>
        text === "Question a" ? refusal(503, { "retry-after": "7200" }) : answer(),
      ),
    });
    await write(cli, [chat("a"), chat("b"), chat("c")]);
    const { code, err, requests } = await cli.run(`${run} --concurrency 1`, overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: exit.someFailed, sent: 1 });
    expect(err).toContain("of 3 lines, 1 has an unknown outcome, 2 are left: ");
    expect(err).toContain("The service asks to wait 2h. Look at these lines in the output.");
    expect(await cli.run(`${run} --concurrency 1`, overNetwork())).toMatchObject({ requests: { length: 2 } });
  });

  test("never exceeds --max-cost, and does not start if the batch would exceed it", async () => {
    const respond: Responder = () => Response.json({ images: [{ image: base64(tinyPng()) }] });
    const cli = await createCli({ respond });
    await write(cli, [image("a", { steps: 25 }), image("b", { steps: 25 })]);
    const refused = await cli.run(`${run} --max-cost 0.015`, overNetwork());
    expect({ code: refused.code, requests: refused.requests }).toEqual({ code: exit.budget, requests: [] });
    expect((await cli.run(`${run} --max-cost 0.02`, overNetwork())).code).toBe(exit.done);
    await write(cli, [image("a", { steps: 25 }), image("b", { steps: 25 }), image("c", { steps: 25 })]);
    const more = await cli.run(`${run} --max-cost 0.02`, overNetwork());
    expect({ code: more.code, requests: more.requests }).toEqual({ code: exit.budget, requests: [] });
    await write(cli, [chat("x")], "chat.jsonl");
    const unpriced = await cli.run("batch run chat.jsonl --out chats.jsonl --max-cost 1", overNetwork());
    expect({ code: unpriced.code, requests: unpriced.requests }).toEqual({ code: exit.budget, requests: [] });
  });

  test("sends lines whose price is not known with --default-max-cost, but no line beyond this limit", async () => {
    const answer = { choices: [{ message: { content: "a" }, finish_reason: "stop" }] };
    const cli = await createCli({ respond: () => Response.json(answer) });
    await write(cli, [chat("x")], "chat.jsonl");
    const line = "batch run chat.jsonl --out chats.jsonl --default-max-cost 1";
    const refused = await cli.run(`${line} --max-cost 1`, overNetwork());
    expect({ code: refused.code, requests: refused.requests }).toEqual({ code: exit.budget, requests: [] });
    const sent = await cli.run(line, overNetwork());
    expect(sent.code).toBe(exit.done);
    expect(sent.err).toContain("the price of 1 line is not known in advance");
    await write(cli, [image("a", { steps: 25 }), image("b", { steps: 25 })]);
    const pictures = await cli.run(`${run} --default-max-cost 0.015`, overNetwork());
    expect({ code: pictures.code, requests: pictures.requests }).toEqual({ code: exit.budget, requests: [] });
  });

  test("stops before the next chat could exceed --max-cost", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 100, total_tokens: 110 };
    const choices = [{ message: { role: "assistant", content: "Hi" } }];
    const respond: Responder = () => Response.json({ choices, usage });
    const cli = await createCli({ respond });
    await cli.run("config set chat.prices m=0/10000");
    await write(
      cli,
      [1, 2, 3].map((id) => chat(String(id), "Hi", { max_tokens: 100 })),
    );
    const { code, requests, out, err } = await cli.run(`${run} --max-cost 2 -o json`, overNetwork());
    expect({ code, requests: requests.length }).toEqual({ code: exit.budget, requests: 2 });
    expect(JSON.parse(err).error).toMatchObject({
      message: "1 of 3 lines are left: the next line could exceed the limit of $2.00",
      hint: expect.stringMatching(
        /^To send them, run the same command line again with a higher --max-cost\./,
      ),
    });
    expect(JSON.parse(out)).toMatchObject({ succeeded: 2, left: 1, dollars: 2 });
  });

  test("sends a refused line again if it fits within --max-cost, although the line after it does not", async () => {
    const respond = service((_, attempt) => (attempt === 1 ? refusal(429) : answer()));
    const cli = await createCli({ respond });
    await cli.run("config set chat.prices m=0/10000");
    await write(cli, [chat("cheap", "Hi", { max_tokens: 50 }), chat("dear", "Hello", { max_tokens: 100 })]);
    const { code, out, requests } = await cli.run(`${run} --max-cost 0.8 -o json`, overNetwork());
    expect({ code, sent: requests.length }).toEqual({ code: exit.budget, sent: 2 });
    expect(JSON.parse(out)).toMatchObject({ succeeded: 1, left: 1 });
  });

  test("counts tools and max_completion_tokens in the maximum cost of a chat", async () => {
    const cli = await createCli({ respond: () => answer() });
    await cli.run("config set chat.prices m=1000000/1000000");
    const dollarsOf = async (fields: object) => {
      await write(cli, [chat("1", "Hi", { max_tokens: 100, ...fields })]);
      const { out } = await cli.run("batch run in.jsonl --dry-run -o json", overNetwork());
      return JSON.parse(out).dollars;
    };
    const plain = await dollarsOf({});
    expect(await dollarsOf({ max_completion_tokens: 300 })).toBe(plain + 200);
    expect(await dollarsOf({ max_completion_tokens: null })).toBe(plain);
    expect(await dollarsOf({ tools: [{ type: "function" }] })).toBe(plain + '[{"type":"function"}]'.length);
  });

  test.each([0, 0.01, -1, 1e16, "2"])(
    "with --max-cost, does not start if a chat asks for %j answers",
    async (n) => {
      const cli = await createCli({ respond: () => answer() });
      await cli.run("config set chat.prices m=0/10000");
      await write(cli, [chat("1", "Hi", { max_tokens: 100, n })]);
      const { code, requests } = await cli.run(`${run} --max-cost 2`, overNetwork());
      expect({ code, requests }).toEqual({ code: exit.budget, requests: [] });
    },
  );

  test.each([
    { max_tokens: -1 },
    { max_tokens: 0 },
    { max_tokens: 1.5 },
    { max_tokens: 100, max_completion_tokens: -1 },
    { max_tokens: 100, max_completion_tokens: "200" },
  ])("with --max-cost, does not start if a chat has the limits %j", async (limits) => {
    const cli = await createCli({ respond: () => answer() });
    await cli.run("config set chat.prices m=0/10000");
    await write(cli, [chat("1", "Hi", limits)]);
    const { code, requests } = await cli.run(`${run} --max-cost 2 --no-validate`, overNetwork());
    expect({ code, requests }).toEqual({ code: exit.budget, requests: [] });
  });

  test.each([
    ["the path of a file", "refs/cat"],
    ["the path of a file with an extension", "refs/cat.jpg"],
    ["text in base64", base64(Buffer.from("not a picture"))],
    ["empty", ""],
  ])("sends nothing if the reference image of a line is %s", async (_, reference) => {
    const cli = await createCli();
    await write(cli, [image("a"), image("b", { image: reference, strength: 0.5 })]);
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain("in.jsonl:2: body.image must be a PNG, JPEG or WebP picture in base64");
  });

  test("saves pictures in a folder, and their paths and hashes in the output", async () => {
    const respond: Responder = () => Response.json({ images: [{ index: 0, image: base64(tinyPng()) }] });
    const cli = await createCli({ respond });
    await write(cli, [image("../a/b"), image("b")]);
    expect((await cli.run(run, overNetwork())).code).toBe(exit.done);
    const [first] = await output(cli);
    expect(first?.response?.body).toEqual({
      images: [
        {
          index: 0,
          path: expect.stringMatching(/^out\.files\/a-b-[\da-f]{12}\.png$/),
          bytes: expect.any(Number),
          sha256: expect.stringMatching(/^[\da-f]{64}$/),
        },
      ],
    });
    expect((await readdir(join(cli.folder, "out.files"))).sort()).toEqual([
      expect.stringMatching(/^a-b-[\da-f]{12}\.png$/),
      "b.png",
    ]);
  });

  test("says nothing about the name of a picture whose custom_id contains a dot", async () => {
    const cli = await createCli({ respond: () => Response.json({ images: [{ image: base64(tinyPng()) }] }) });
    await write(cli, [image("img.001"), image("cat.jpg")]);
    const { code, err } = await cli.run(run, overNetwork());
    expect(code).toBe(exit.done);
    expect(err).not.toContain("saved as");
    expect((await readdir(join(cli.folder, "out.files"))).sort()).toEqual(["cat.png", "img.001.png"]);
  });

  test("with --prompts and a text file, a second run sends only lines with new text", async () => {
    const cli = await createCli({ respond: () => answer() });
    const prompts =
      "batch run --prompts p.txt --endpoint chat --model m --param temperature=0 --out out.jsonl";
    await writeFile(join(cli.folder, "p.txt"), "One\n\nTwo\nOne\n");
    const first = await cli.run(prompts, overNetwork());
    expect(first.requests[0]?.body).toEqual({
      model: "m",
      temperature: 0,
      messages: [{ role: "user", content: "One" }],
    });
    expect((await output(cli)).map(({ custom_id }) => custom_id)).toEqual([
      expect.stringMatching(/^one-[\da-f]{12}$/),
      expect.stringMatching(/^one-[\da-f]{12}-2$/),
      expect.stringMatching(/^two-[\da-f]{12}$/),
    ]);
    await writeFile(join(cli.folder, "p.txt"), "New\nOne\nOne\nThree\n");
    const second = await cli.run(prompts, overNetwork());
    expect(
      second.requests.map(({ body }) => (body as { messages: { content: string }[] }).messages[0]?.content),
    ).toEqual(["New", "Three"]);
  });

  test.each([
    ["in a short file", ""],
    ["at the end of a long file", `${"A fox\n".repeat(100_000)}`],
  ])("with --prompts and a line of CSV that is not UTF-8, sends nothing: %s", async (_name, before) => {
    const cli = await createCli();
    const lines = Buffer.concat([
      Buffer.from(`prompt\n${before}A caf`),
      Buffer.from([0xe9]),
      Buffer.from("\nA dog\n"),
    ]);
    await writeFile(join(cli.folder, "p.csv"), lines);
    const line = "batch run --prompts p.csv --endpoint image --out out.jsonl";
    const { code, err, requests } = await cli.run(line, overNetwork());
    expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
    expect(err).toContain(`p.csv:${before.split("\n").length + 1}: the line is not valid UTF-8`);
  });

  test("with --prompts and a CSV file in UTF-16, reads the text", async () => {
    const respond: Responder = () => Response.json({ images: [{ image: base64(tinyPng()) }] });
    const line = "batch run --prompts p.csv --endpoint image --out out.jsonl";
    const cli = await createCli({ respond });
    // The bytes of the last two characters contain those of a quote.
    const prompt = "A caf\u00e9 \u2260\u3000";
    await writeFile(join(cli.folder, "p.csv"), Buffer.from(`\ufeffprompt\n${prompt}x\n`, "utf16le"));
    const { requests, err } = await cli.run(line, overNetwork());
    expect(
      requests.map(({ body }) => body),
      err,
    ).toMatchObject([{ prompt: `${prompt}x` }]);
  });

  test("with --prompts and a text file of an old Mac, sends nothing", async () => {
    const cli = await createCli();
    await writeFile(join(cli.folder, "p.txt"), "a cat\ra dog\ra fox\r");
    const line = "batch run --prompts p.txt --endpoint image --out out.jsonl";
    const { code, err, requests } = await cli.run(line, overNetwork());
    expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
    expect(err).toContain("p.txt:1: the line contains carriage returns");
  });

  const error = { message: "upstream died" };
  test.each([
    ["an error", { choices: [{ message: { content: "Half" } }], error }],
    [
      "an error in its choice",
      { choices: [{ message: { content: "Half" }, finish_reason: "error", error }] },
    ],
  ])("does not count an answer with %s as a success", async (_what, half) => {
    const cli = await createCli({ respond: () => Response.json(half) });
    await write(cli, [chat("1")]);
    const { code, out } = await cli.run(`${run} -o json`, overNetwork());
    expect(code).toBe(exit.someFailed);
    expect(JSON.parse(out)).toMatchObject({ succeeded: 0, unknown: 1 });
    expect(await readFile(join(cli.folder, "out.jsonl"), "utf8")).toContain("upstream died");
  });

  test("takes the prices of chats from --prices", async () => {
    const cli = await createCli();
    await write(cli, [chat("1", "Hi", { max_tokens: 100 })]);
    const line = "batch run in.jsonl --dry-run -o json";
    const { out } = await cli.run(`${line} --prices m=0/1000000`, overNetwork());
    expect(JSON.parse(out)).toMatchObject({ dollars: 100, unpriced: 0 });
    const wrong = await cli.run(`${line} --prices m=1`, overNetwork());
    expect({ code: wrong.code, err: wrong.err }).toMatchObject({ code: exit.usage });
    expect(wrong.err).toContain("--prices must be prices in dollars");
  });

  test("with --prompts and a CSV file, uses the columns as fields", async () => {
    const respond: Responder = () => Response.json({ images: [{ image: base64(tinyPng()) }] });
    const cli = await createCli({ respond });
    await writeFile(
      join(cli.folder, "p.csv"),
      'id,prompt,negative-prompt,size,lora,seed\n1,"A fox, in\nthe snow",,1344x768,Pixel_Art:0.5,7\n2,A dog,blur,,,\n',
    );
    const { requests, code } = await cli.run(
      "batch run --prompts p.csv --endpoint image --out out.jsonl",
      overNetwork(),
    );
    expect(code).toBe(exit.done);
    expect(requests.map(({ body }) => body)).toEqual([
      {
        model_name: "SDXL1.0-base",
        prompt: "A fox, in\nthe snow",
        width: 1344,
        height: 768,
        lora: { Pixel_Art: 0.5 },
        seed: 7,
      },
      { model_name: "SDXL1.0-base", prompt: "A dog", negative_prompt: "blur" },
    ]);
    await writeFile(join(cli.folder, "p.csv"), "\npromt\nA fox\n");
    const wrong = await cli.run("batch run --prompts p.csv --endpoint image --out no.jsonl");
    expect(wrong.code).toBe(exit.usage);
    expect(wrong.err).toContain('p.csv:2: "promt" is not a field of image (Did you mean prompt?)');
  });

  test.each([
    ["batch run - --out out.jsonl", "INPUT cannot be stdin"],
    ["batch run in.jsonl", "missing required input: --out\n"],
    ["batch run", "missing required input: INPUT or --prompts, --out\n"],
    [
      "batch run --prompts in.jsonl --endpoint chat --dry-run",
      "For a file of requests, omit --prompts and --endpoint.",
    ],
    ["batch run --dry-run", "missing required input: INPUT or --prompts\n"],
    ["batch run in.jsonl --out in.jsonl", "its journal is missing or empty"],
    ["batch run in.jsonl --prompts in.jsonl --out out.jsonl", "cannot be used together"],
    ["batch run --prompts in.jsonl --out out.jsonl", "--prompts requires --endpoint"],
    ["batch run in.jsonl --model m --out out.jsonl", "--model requires --prompts"],
  ])("rejects `%s`", async (line, message) => {
    const cli = await createCli();
    await write(cli, [chat("a")]);
    const { code, err, requests } = await cli.run(line);
    expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
    expect(err).toContain(message);
  });

  test("with --shard, sends only the lines of the shard, and a later run without --shard rejects the shard's output", async () => {
    const cli = await createCli({ respond: () => answer() });
    await write(
      cli,
      Array.from({ length: 20 }, (_, index) => chat(String(index))),
    );
    const counts = await Promise.all(
      [0, 1].map(
        async (index) => (await cli.run(`${run} --shard ${index}/2`, overNetwork())).requests.length,
      ),
    );
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(20);
    expect(await output(cli, "out.0-of-2.jsonl")).toHaveLength(counts[0] ?? 0);
    const { code, err } = await cli.run("batch run in.jsonl --out out.0-of-2.jsonl", overNetwork());
    expect(code).toBe(exit.usage);
    expect(err).toContain("belongs to shard 0 of 2, but this run is a batch without shards");
  });

  test("ends after Ctrl-C while it waits for the lock of another process", async () => {
    const controller = new AbortController();
    const cli = await createCli({ respond: () => answer() });
    await write(cli, [chat("a")]);
    await mkdir(join(cli.folder, "out.jsonl.journal.lock"));
    const { code, requests, slept } = await cli.run(run, {
      ...overNetwork(),
      answerSignal: () => controller.signal,
      onSleep: () => controller.abort(new Interrupted()),
    });
    expect({ code, requests, pauses: slept.length }).toEqual({ code: 130, requests: [], pauses: 1 });
  });

  test("ends after Ctrl-C while it checks the input", async () => {
    const signal = AbortSignal.abort(new Interrupted());
    const cli = await createCli({ respond: () => answer() });
    await write(cli, [chat("a"), chat("")]);
    const { code, err, requests } = await cli.run(run, { ...overNetwork(), answerSignal: () => signal });
    expect({ code, requests }).toEqual({ code: 130, requests: [] });
    expect(err).not.toContain("custom_id");
  });

  test("completes requests in flight after Ctrl-C, and sends no others", async () => {
    const controller = new AbortController();
    const cli = await createCli({
      respond: () => {
        controller.abort();
        return answer();
      },
    });
    await write(
      cli,
      Array.from({ length: 50 }, (_, index) => chat(String(index))),
    );
    const { code, requests, err } = await cli.run(run, {
      ...overNetwork(),
      answerSignal: () => controller.signal,
    });
    expect(code).toBe(exit.interrupted);
    expect(requests.length).toBeLessThan(50);
    expect(await output(cli)).toHaveLength(requests.length);
    expect(err).toMatch(/^Stopping after the (request|\d+ requests) in flight\.$/m);
    expect(err).toContain("Run the same command line again");
    expect((await cli.run(run, overNetwork())).requests).toHaveLength(50 - requests.length);
  });

  test("says after Ctrl-C that no line is left if each line has a result", async () => {
    const controller = new AbortController();
    const cli = await createCli({
      respond: () => {
        controller.abort();
        return answer();
      },
    });
    await write(cli, [chat("a")]);
    const { code, err } = await cli.run(run, { ...overNetwork(), answerSignal: () => controller.signal });
    expect(code).toBe(exit.interrupted);
    expect(err).toContain("interrupted, but each line has a result");
    expect(err).not.toMatch(/\bleft\b|same command line again/);
  });

  test("prints a line of progress each minute without a terminal", async () => {
    let advance = (_: number): void => {};
    const cli = await createCli({
      respond: async () => {
        advance(40_000);
        // The status is updated every second.
        await setTimeout(1_200);
        return answer();
      },
    });
    advance = cli.advance;
    await write(cli, [chat("a"), chat("b"), chat("c"), chat("d")]);
    const { code, err } = await cli.run(`${run} --concurrency 1`, overNetwork());
    expect(code).toBe(exit.done);
    expect(err.match(/^\d of 4 done.*$/gm)).toEqual([
      expect.stringMatching(/^1 of 4 done, 0\.0\/s, \dm( \d+s)? left$/),
      expect.stringMatching(/^3 of 4 done, 0\.0\/s, \d+s left$/),
    ]);
  });

  test.each([
    [
      "a host that does not exist",
      (): Response => {
        throw new ConnectionFailed("no such host (typo.example.com)", { code: "ENOTFOUND", sent: false });
      },
      "no such host (typo.example.com)",
    ],
    [
      "a service that always returns 429",
      () => Response.json({ code: "E429", message: `Too many for ${key}`, issues: [] }, { status: 429 }),
      "Too many for **** (the service returned 429)",
    ],
  ])("says once within a minute why it waits, without a terminal: %s", async (_, respond, reason) => {
    const cli = await createCli({ respond });
    await write(cli, [chat("a"), chat("b")]);
    // The status is updated every second.
    const onSleep = (milliseconds: number) =>
      milliseconds >= 1_000 && milliseconds <= 2_000 ? setTimeout(1_200) : undefined;
    const { code, err } = await cli.run(`${run} --give-up-after 5s`, { ...overNetwork(), onSleep });
    expect(code).toBe(exit.network);
    expect(err.match(/^.*waiting.*$/gm)).toEqual([`0 of 2 done, waiting: ${reason}`]);
  });

  test("after a success, no longer says that it waits", async () => {
    let advance = (_: number): void => {};
    const cli = await createCli({
      respond: service(async (text, attempt) => {
        if (text.endsWith("a") && attempt === 1) return refusal(429);
        advance(60_000);
        await setTimeout(1_200);
        return answer();
      }),
    });
    advance = cli.advance;
    await write(cli, [chat("a"), chat("b")]);
    const { err } = await cli.run(`${run} --concurrency 1`, overNetwork());
    expect(err.match(/^\d of 2 done.*$/gm)).toEqual([
      "0 of 2 done, waiting: Refused with 429 (the service returned 429)",
      expect.stringMatching(/^1 of 2 done, [^a-z]*\/s, \S+( \d+s)? left$/),
    ]);
  });

  test("counts the lines in flight once in the expected cost", async () => {
    let advance = (_: number): void => {};
    let count = 0;
    const cli = await createCli({
      respond: async () => {
        count += 1;
        if (count === 2) {
          advance(60_000);
          await setTimeout(1_200);
        }
        return Response.json({ images: [{ image: base64(tinyPng()) }] });
      },
    });
    advance = cli.advance;
    await write(
      cli,
      ["a", "b", "c", "d"].map((id) => image(id)),
    );
    const { err } = await cli.run(`${run} --concurrency 1`, overNetwork());
    const [, spent, expected] = /^1 of 4 done, .*\$([\d.]+) of about \$([\d.]+)/m.exec(err) ?? [];
    expect(Number(expected), err).toBeCloseTo(4 * Number(spent), 5);
  });

  test.each([{ choices: [] }, { choices: [null] }])(
    "counts the response %j as an unknown outcome",
    async (body) => {
      const cli = await createCli({ respond: () => Response.json(body) });
      await write(cli, [chat("a")]);
      expect((await cli.run(run, overNetwork())).code).toBe(exit.someFailed);
      const [line] = await output(cli);
      expect(line?.error).toMatchObject({
        code: "UNUSABLE_RESPONSE",
        message: "the response is not a chat completion",
      });
      expect(line?.response?.body).toEqual(body);
    },
  );

  test("with --prompts for images, --param takes the same names as the columns of a CSV file", async () => {
    const cli = await createCli({ respond: () => Response.json({ images: [{ image: base64(tinyPng()) }] }) });
    await writeFile(join(cli.folder, "p.txt"), "a cat\n");
    const line = (size: string) =>
      [
        ...words("batch run --prompts p.txt --endpoint image --out out.jsonl"),
        "--param",
        size,
        "--param",
      ].concat('model="SD2"');
    expect(await cli.run(line('size="large"'), overNetwork())).toMatchObject({ code: 2, requests: [] });
    const { requests } = await cli.run(line('size="1536x640"'), overNetwork());
    expect(requests[0]?.body).toEqual({ model_name: "SD2", prompt: "a cat", width: 1536, height: 640 });
  });

  test("writes the status to the file of --status-json", async () => {
    const cli = await createCli({ respond: () => answer() });
    await write(cli, [chat("a")]);
    await cli.run(`${run} --status-json status.json`, overNetwork());
    expect(JSON.parse(await read(cli, "status.json"))).toMatchObject({
      state: "ended",
      total: 1,
      done: 1,
      left: 0,
    });
  });

  test.each([
    ["the input", "in.jsonl", /a name that is reserved for the files of the batch/],
    ["the output", "out.jsonl", /a name that is reserved for the files of the batch/],
    ["the journal", "out.jsonl.journal", /a name that is reserved for the files of the batch/],
    ["another file", "notes.json", /does not hold the status of a batch/],
  ])("does not replace %s with --status-json", async (_, name, problem) => {
    const cli = await createCli({ respond: () => answer() });
    await write(cli, [chat("a")]);
    await writeFile(join(cli.folder, "notes.json"), '{"mine":true}');
    await cli.run(run, overNetwork());
    const before = await read(cli, name);
    await write(cli, [chat("a"), chat("b")], name === "in.jsonl" ? "other.jsonl" : "in.jsonl");
    const outcome = await cli.run(`${run} --status-json ${name}`, overNetwork());
    expect(outcome).toMatchObject({ code: 2, requests: [], err: expect.stringMatching(problem) });
    expect(await read(cli, name)).toBe(before);
  });

  test("replaces an earlier status with --status-json", async () => {
    const cli = await createCli({ respond: () => answer() });
    await write(cli, [chat("a")]);
    for (const _ of [1, 2])
      expect(await cli.run(`${run} --status-json s.json`, overNetwork())).toMatchObject({ code: 0 });
  });

  test.each([
    ["in.jsonl", run],
    ["p.txt", "batch run --prompts p.txt --endpoint chat --out out.jsonl"],
  ])("names the line of %s that is too long", async (name, line) => {
    const cli = await createCli();
    await writeFile(join(cli.folder, name), "\n");
    await truncate(join(cli.folder, name), inputLimits.bytes + 500_000);
    expect(await cli.run(line)).toMatchObject({
      code: exit.usage,
      requests: [],
      err: `Error: ${name}:2: the line is longer than 64 MiB\n`,
    });
  });

  test.each([
    ["batch run in.jsonl --out folder", "--out folder is not a regular file\nNothing was sent."],
    ["batch run folder --out out.jsonl", "INPUT folder is not a regular file"],
  ])("rejects a folder: `%s`", async (line, message) => {
    const cli = await createCli();
    await write(cli, [chat("a")]);
    await mkdir(join(cli.folder, "folder"));
    const { code, err, requests } = await cli.run(line, overNetwork());
    expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
    expect(err).toContain(`Error: ${message}\n`);
  });

  test("sends nothing if the output is missing or shorter than the journal says", async () => {
    const cli = await createCli({ respond: () => answer() });
    await write(cli, [chat("a")]);
    await cli.run(run, overNetwork());
    await write(cli, [chat("a"), chat("b")]);
    await truncate(join(cli.folder, "out.jsonl"), 1);
    const cut = await cli.run(run, overNetwork());
    expect(cut).toMatchObject({ code: exit.usage, requests: [] });
    expect(cut.err).toMatch(/out\.jsonl has 1 bytes, but its journal says that there are \d+/);
    await rm(join(cli.folder, "out.jsonl"));
    const { code, err, requests } = await cli.run(run, overNetwork());
    expect({ code, requests }).toEqual({ code: exit.usage, requests: [] });
    expect(err).toMatch(
      /out\.jsonl is missing, but its journal says that it has \d+ bytes\nRestore the file\./,
    );
  });

  test.skipIf(process.platform === "win32").each(["out.jsonl", "out.jsonl.journal"])(
    "sends nothing if %s is a symbolic link to itself",
    async (name) => {
      const cli = await createCli({ respond: () => answer() });
      await write(cli, [chat("a")]);
      await symlink(name, join(cli.folder, name));
      expect(await cli.run(run, overNetwork())).toMatchObject({
        code: 2,
        requests: [],
        err: expect.stringMatching(/^Error: cannot save .*: too many levels of symbolic links$/m),
      });
    },
  );

  test.skipIf(process.platform === "win32").each(["out.jsonl", "out.jsonl.journal"])(
    "sends nothing if %s is a pipe",
    async (name) => {
      const cli = await createCli({ respond: () => answer() });
      await write(cli, [chat("a")]);
      execFileSync("mkfifo", [join(cli.folder, name)]);
      expect(await cli.run(run, overNetwork())).toMatchObject({
        code: 2,
        requests: [],
        err: expect.stringContaining(`${name} is not a regular file`),
      });
    },
  );

  test.skipIf(process.platform === "win32")(
    "creates an output through a symbolic link to a new file",
    async () => {
      const cli = await createCli({ respond: () => answer() });
      await write(cli, [chat("a")]);
      await symlink("elsewhere.jsonl", join(cli.folder, "out.jsonl"));
      expect(await cli.run(run, overNetwork())).toMatchObject({ code: 0 });
      expect(await output(cli, "elsewhere.jsonl")).toHaveLength(1);
    },
  );

  const count = thorough ? 10_000 : 300;
  test(`records every request of ${count} lines in the journal, in spite of faults`, async () => {
    const cli = await createCli();
    await write(
      cli,
      Array.from({ length: count }, (_, index) =>
        chat(`line-${index}`, `Question ${index}`, { model: "sandbox-echo" }),
      ),
    );
    for (const fault of ["--status 429 --every 50", "--status 500 --every 100", "--reset --every 200"]) {
      const { code, err } = await cli.run(`sandbox fault add --operation createChatCompletion ${fault}`);
      expect(code, err).toBe(exit.done);
    }
    const { out, code, requests } = await cli.run(`${run} --sandbox -o json`);
    expect(code).toBe(exit.someFailed);
    const { succeeded, failed, unknown, left } = JSON.parse(out) as Record<string, number>;
    expect({ left, total: (succeeded ?? 0) + (failed ?? 0) + (unknown ?? 0) }).toEqual({
      left: 0,
      total: count,
    });
    expect(new Set((await output(cli)).map(({ custom_id }) => custom_id)).size).toBe(count);
    const costs = new JournalCosts();
    let [sent, undone] = [0, 0];
    const chunks = async function* () {
      yield await readFile(join(cli.folder, "out.jsonl.journal"));
    };
    for await (const { record } of readJournal("out.jsonl.journal", chunks())) {
      costs.add(record);
      if (record.event === "send") sent += 1;
      if (record.event === "undo") undone += 1;
    }
    expect(costs.inFlight.size).toBe(0);
    expect(requests.length).toBe(sent);
    expect(sent - undone).toBe(count);
  });
});
