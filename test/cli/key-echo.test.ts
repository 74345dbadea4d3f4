import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { exit } from "../../src/cli/report/exit.ts";
import { createCli } from "../support/cli.ts";
import { serviceUrl } from "../support/service.ts";

const key = "sk-said-back-0123456789";
const env = { GPUCTL_API_KEY: key, GPUCTL_BASE_URL: serviceUrl };

describe("a key echoed by the service is never printed", () => {
  test.each([
    ["rentals list", 401, exit.credential],
    ["rentals list -o json", 401, exit.credential],
    ["rentals list --debug", 403, exit.forbidden],
    ["rentals history", 401, exit.credential],
    ["rentals create vm --gpus 1", 500, exit.unknownOutcome],
    ["auth status", 401, exit.credential],
    ["api call GET /v2/balances", 401, exit.credential],
    ["chat Hello --model llama", 401, exit.credential],
    ["doctor", 401, exit.fault],
  ])("%s, status %i", async (line, status, exitCode) => {
    const { run } = await createCli({
      respond: ({ headers }) =>
        Response.json({ code: "NO", message: `${headers.authorization} is bad`, issues: [] }, { status }),
    });
    const { code, out, err } = await run(line, { env });
    expect(code).toBe(exitCode);
    expect(out + err).not.toContain(key);
  });

  test("not even if it has only eight characters", async () => {
    const short = "k3y-8chr";
    const { run } = await createCli({
      respond: () => Response.json({ code: "NO", message: `${short} is bad`, issues: [] }, { status: 401 }),
    });
    const { code, err } = await run("rentals list", { env: { ...env, GPUCTL_API_KEY: short } });
    expect(code).toBe(exit.credential);
    expect(err).toContain("**** is bad");
    expect(err).not.toContain(short);
  });

  test("not even if it is escaped three times over", async () => {
    const each = (text: string, way: (code: number) => string) =>
      [...text].map((one) => way(one.charCodeAt(0))).join("");
    const asUrl = each(key, (code) => `%${code.toString(16)}`);
    const asJson = each(asUrl, (code) => `\\u${code.toString(16).padStart(4, "0")}`);
    const asHtml = each(asJson, (code) => `&#${code};`);
    const { run } = await createCli({
      respond: () => Response.json({ code: "NO", message: `${asHtml} is bad`, issues: [] }, { status: 401 }),
    });
    const { code, err } = await run("rentals list", { env });
    expect(code).toBe(exit.credential);
    expect(err).toContain("Error: **** is bad");
  });

  test("not even when the response is not JSON or is truncated", async () => {
    const stream = `data: {"error":{"message":"${key}"}}\n\n`;
    for (const [body, line, exitCode] of [
      [`<html>${key}`, "rentals summary", exit.service],
      [`<html>${key}`, "chat Hello --model llama", exit.network],
      [stream, "rentals summary", exit.service],
      [stream, "chat Hello --model llama", exit.network],
    ] as const) {
      const { run } = await createCli({ respond: () => new Response(body) });
      const { code, out, err } = await run(line, { env });
      expect(code, line).toBe(exitCode);
      expect(out + err).not.toContain(key);
    }
  });

  test.each([
    ["image cat --out i.png", "images"],
    ["image cat -n 2 --out i.png", "images"],
    ["tts hi --out s.wav", "audio"],
    ["batch run in.jsonl --out out.jsonl", "images"],
  ])("nor saved if it takes the place of a picture or a sound: %s", async (line, field) => {
    // A text of fewer than 512 characters is held back until it ends. A longer text stays in the response, unless it is
    // base64.
    for (const padding of ["", " ".repeat(490)]) {
      const said = `${padding}error: Bearer ${key} is over its quota`;
      const body = field === "images" ? { images: [{ image: said }] } : { audio: said };
      const { run, folder } = await createCli({ respond: () => Response.json(body) });
      const request = {
        custom_id: "a",
        method: "POST",
        url: "/v1/image/generation",
        body: { model_name: "SDXL1.0-base", prompt: "x" },
      };
      await writeFile(join(folder, "in.jsonl"), `${JSON.stringify(request)}\n`);
      const { out, err } = await run(line, { env });
      expect(out + err).not.toContain(key);
      const files = await readdir(folder, { recursive: true, withFileTypes: true });
      const texts = await Promise.all(
        files.filter((one) => one.isFile()).map((one) => readFile(join(one.parentPath, one.name), "utf8")),
      );
      expect(texts.join("\n")).toContain("error: Bearer **** is over its quota");
      expect(texts.join("\n")).not.toContain(key);
    }
  });

  describe("not even in a chat answer that splits it between events", () => {
    const encoded = (text: string) => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
    const base64 = Buffer.from(`me:${key}`).toString("base64");
    const answer = (text: string, size: number) => text.match(new RegExp(`.{1,${size}}`, "gsu")) ?? [];
    const saying = (field: string, pieces: readonly string[]) =>
      createCli({
        respond: () =>
          new Response(
            new ReadableStream({
              async start(controller) {
                for (const piece of pieces) {
                  const event = { choices: [{ delta: { [field]: piece } }] };
                  controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
                  await new Promise((resolve) => setImmediate(resolve));
                }
                controller.enqueue(new TextEncoder().encode("data: [DONE]\n\n"));
                controller.close();
              },
            }),
          ),
      });

    test.each([
      ["content", "chat Hi --model llama", false],
      ["content", "chat Hi --model llama --no-markdown", true],
      ["content", "chat Hi --model llama", true],
      ["reasoning_content", "chat Hi --model llama", false],
      ["reasoning_content", "chat Hi --model llama", true],
    ] as const)("as %s of %s, on a terminal: %s", async (field, line, terminal) => {
      for (const said of [key, key.toUpperCase(), encoded(key), base64.slice(4)]) {
        for (const size of [1, 4, 9]) {
          const { run } = await saying(field, answer(`It is ${said} so`, size));
          const { out, err } = await run(line, { env, ...(terminal && { terminal: 80 }) });
          const shown = (out + err).replace(/\x1b\[[\d;]*m/g, "");
          expect(shown, `${said} by ${size}`).toMatch(/It is \w{0,4}\*{4}[\w=]{0,2} so$/m);
        }
      }
    });

    test("if the events of several answers alternate", async () => {
      const pieces = answer(`It is ${key} so`, 4);
      const events = pieces.flatMap((content) =>
        [0, 1].map((index) => ({ choices: [{ index, delta: { content } }] })),
      );
      const body = [...events.map((one) => JSON.stringify(one)), "[DONE]"];
      const { run } = await createCli({
        respond: () => new Response(body.map((one) => `data: ${one}\n\n`).join("")),
      });
      const { code, out } = await run("chat Hi --model llama --param n=2 -o jsonl", { env });
      expect(code).toBe(exit.done);
      const all = out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).choices[0]);
      for (const index of [0, 1]) {
        const texts = all.filter((one) => one?.index === index).map((one) => one.delta.content);
        expect(texts).toHaveLength(pieces.length);
        expect(texts.join("")).toBe("It is **** so");
      }
    });

    test.each([
      "chat Hi --model llama",
      "chat Hi --model llama -o jsonl",
      "chat Hi --model llama --session one",
    ])("in the session that `%s` stores", async (line) => {
      for (const said of [key, key.toUpperCase(), encoded(key)]) {
        const { run, folder } = await saying("content", answer(`It is ${said} so`, 4));
        expect((await run(line, { env })).code).toBe(exit.done);
        // This command runs without the key, as it would for a profile of another service.
        const { out } = await run("chat sessions show");
        expect(out).toMatch(/^It is \*{4} so$/m);
        const sessions = join(folder, "state", "chat-sessions");
        for (const name of await readdir(sessions))
          expect(await readFile(join(sessions, name), "utf8")).not.toContain(said);
      }
    });

    describe("as events", () => {
      const saidIn = (out: string, field: string): string =>
        out
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line).choices[0].delta[field])
          .join("");

      test.each(["content", "reasoning_content"])("in the field %s", async (field) => {
        for (const said of [key, key.toUpperCase(), encoded(key), base64.slice(4)]) {
          for (const size of [1, 9]) {
            const pieces = answer(`It is ${said} so`, size);
            const { run } = await saying(field, pieces);
            const { code, out } = await run("chat Hi --model llama -o jsonl", { env });
            expect(code).toBe(exit.done);
            expect(saidIn(out, field), `${said} by ${size}`).toMatch(/^It is \w{0,4}\*{4}[\w=]{0,2} so$/);
            expect(out.trim().split("\n"), "an event each").toHaveLength(pieces.length);
          }
        }
      });

      test("but events whose text only starts like a key are printed as they arrived", async () => {
        const pieces = ["Its", " sk-sa", "id so", " 100%", " and sk-said-b"];
        const { run } = await saying("content", pieces);
        const { out } = await run("chat Hi --model llama -o jsonl", { env });
        const events = pieces.map((content) => `${JSON.stringify({ choices: [{ delta: { content } }] })}\n`);
        expect(out).toBe(events.join(""));
      });

      test("but events that were held back are printed when the stream breaks", async () => {
        const { run } = await createCli({
          respond: () => new Response('data: {"choices": [{"delta": {"content": "It is sk-sa"}}]}\n\n'),
        });
        const { code, out } = await run("chat Hi --model llama -o jsonl", { env });
        expect({ code, said: saidIn(out, "content") }).toEqual({ code: exit.network, said: "It is sk-sa" });
      });
    });

    test("but text that only starts like a key is not lost", async () => {
      const { run } = await saying("content", ["Its", " sk-sa", "id so", " 100%", " and sk-said-b"]);
      expect((await run("chat Hi --model llama", { env })).out).toBe("Its sk-said so 100% and sk-said-b\n");
    });
  });
});
