import { expect } from "vitest";
import { openSandbox } from "../harness.ts";
import type { Checks } from "./check.ts";

const request = { model: "sandbox-echo", messages: [{ role: "user", content: "Say this back" }] };
const picture = { model_name: "SDXL-turbo", prompt: "a lighthouse", steps: 1 } as const;

/** The start of a PNG whose header claims this width and height. */
function pngHead(width: number, height: number): string {
  const bytes = Buffer.alloc(33);
  bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString("base64");
}

export const inferenceChecks = {
  chat: async (text) => {
    expect(text).toContain("sandbox-echo");
    const sandbox = await openSandbox();
    const said = async (more: object) => {
      const response = await sandbox.call("createChatCompletion", { ...request, ...more });
      const { choices, usage } = Object(await response.json());
      return { content: choices[0].message.content, reason: choices[0].finish_reason, usage };
    };
    const plain = await said({});
    expect(plain).toMatchObject({ content: expect.stringContaining("Say this back"), reason: "stop" });
    const nothing = {
      temperature: 99,
      top_p: 5,
      seed: 1,
      tools: [],
      logprobs: true,
      response_format: { type: "json" },
    };
    expect([await said({ temperature: -1 }), await said(nothing)]).toEqual([plain, plain]);
    expect((await said({ stop: "this" })).content).toBe("sandbox-echo heard: Say ");
    expect((await said({ stop: ["never", "Say"] })).content).toBe("sandbox-echo heard: ");
    expect((await said({ messages: [{ role: "robot", content: "" }] })).content).toContain("no user message");
    const picture = (url: string) => ({ type: "image_url", image_url: { url } });
    const content = [
      { type: "text", text: "Look" },
      picture("data:image/png;base64,AA"),
      picture("https://a.b/c"),
    ];
    const seen = await said({ messages: [{ role: "user", content }] });
    expect(seen.content).toBe("sandbox-echo heard: Look\n[image/png]\n[https://a.b/c]");
    const tool_calls = [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }];
    for (const silent of [{ content: null }, {}]) {
      const turns = [...request.messages, { role: "assistant", ...silent, tool_calls }];
      expect((await said({ messages: turns })).content).toBe(plain.content);
    }
    const user = (message: object) => ({ messages: [{ role: "user", ...message }] });
    for (const [wrong, path] of [
      [{ model: "another" }, ["model"]],
      [{ messages: [] }, ["messages"]],
      [user({ content: 1 }), ["messages", 0, "content"]],
      [user({ content: null }), ["messages", 0, "content"]],
      [user({ content: [{ type: "text" }] }), ["messages", 0, "content", 0, "text"]],
      [user({ content: [{ text: "hi" }] }), ["messages", 0, "content", 0, "type"]],
    ] as const) {
      expect(await sandbox.issuesOf("createChatCompletion", { ...request, ...wrong })).toMatchObject([
        { path },
      ]);
    }
    const stream = { ...request, stream: true, stream_options: { include_usage: true } };
    expect(await (await sandbox.call("createChatCompletion", stream)).text()).toContain('"usage":{');
  },
  "chat-script": async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain("Gpuctl-Sandbox-Reply");
    sandbox.chatScript.set([
      { text: "a b c", times: 2 },
      { text: "a", streamError: {} },
      { text: "a", cut: true },
    ]);
    const send = (more: object) =>
      sandbox.call("createChatCompletion", { ...request, model: "other", ...more });
    sandbox.engines.save({ kind: "chat", url: "http://127.0.0.1:1" });
    expect((await send({ max_tokens: 0 })).status).toBe(400);
    for (const limit of [{ max_tokens: 1 }, { stop: "b" }]) {
      const response = await send(limit);
      expect(response.headers.get("gpuctl-sandbox-reply")).toBe("0");
      expect(await response.json()).toMatchObject({
        model: "other",
        choices: [{ message: { content: "a b c" } }],
      });
    }
    expect((await send({})).status).toBe(500);
    expect(await (await send({})).text()).toMatch(/^\{[^}]*$/);
    expect((await send({})).status).toBe(400);
  },
  tokens: async () => {
    const sandbox = await openSandbox();
    const send = async (more: object) =>
      Object(await (await sandbox.call("createChatCompletion", { ...request, ...more })).json());
    expect((await send({})).usage).toEqual({ prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 });
    for (const most of [
      { max_tokens: 2 },
      { max_completion_tokens: 2 },
      { max_tokens: 2, max_completion_tokens: 9 },
    ]) {
      const { choices, usage } = await send(most);
      expect(choices).toMatchObject([
        { message: { content: "sandbox-echo heard:" }, finish_reason: "length" },
      ]);
      expect(usage.completion_tokens).toBe(2);
    }
    for (const field of ["max_tokens", "max_completion_tokens"]) {
      const issues = await sandbox.issuesOf("createChatCompletion", { ...request, [field]: 0 });
      expect(issues).toMatchObject([{ path: [field] }]);
    }
  },
  choices: async () => {
    const sandbox = await openSandbox();
    expect((await sandbox.ask("createChatCompletion", request)).choices).toHaveLength(1);
    expect((await sandbox.call("createChatCompletion", { ...request, n: 1 })).status).toBe(200);
    expect(await sandbox.issuesOf("createChatCompletion", { ...request, n: 2 })).toMatchObject([
      { path: ["n"] },
    ]);
  },
  streams: async () => {
    const sandbox = await openSandbox();
    const events = async (more: object) => {
      const response = await sandbox.call("createChatCompletion", { ...request, stream: true, ...more });
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      return (await response.text()).split("\n\n").slice(0, -1);
    };
    const plain = await events({});
    const [role, ...rest] = plain
      .slice(0, -1)
      .map((event) => JSON.parse(event.replace(/^data: /, "")).choices[0]);
    expect(role).toEqual({ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null });
    expect(rest.map(({ delta }) => delta.content)).toEqual([
      "sandbox-echo",
      " heard:",
      " Say",
      " this",
      " back",
      undefined,
    ]);
    expect(rest.map(({ finish_reason }) => finish_reason)).toEqual([null, null, null, null, null, "stop"]);
    const withUsage = await events({ stream_options: { include_usage: true } });
    expect(withUsage).toHaveLength(plain.length + 1);
    expect(withUsage.at(-2)).toContain('"usage":{');
    expect([plain.at(-1), withUsage.at(-1)]).toEqual(["data: [DONE]", "data: [DONE]"]);
  },
  pictures: async () => {
    const sandbox = await openSandbox();
    const before = sandbox.status().balanceCents;
    const drawn = async (more: object) => {
      const response = await sandbox.call("generateImage", { ...picture, seed: 1, ...more });
      return Object(await response.json()).images.map(({ image }: { image: string }) => image);
    };
    const odd = { sampler: "any", steps: 100_000, cfg_scale: -1e9, prompt: "" };
    const [bytes] = (await drawn(odd)).map((image: string) => Buffer.from(image, "base64"));
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    const [plain, ...more] = await drawn({ n: 4 });
    expect(more).toEqual([]);
    expect((await drawn({ backend: "tvm" }))[0] === plain).toBe(true);
    expect((await drawn({ steps: 2 }))[0] === plain).toBe(false);
    for (const steps of [0, -5]) {
      expect(await sandbox.issuesOf("generateImage", { ...picture, steps })).toMatchObject([
        { path: ["steps"] },
      ]);
    }
    expect(sandbox.status().balanceCents).toBe(before);
  },
  references: async (text) => {
    expect(text).toContain("at most 8192 x 8192 pixels (4096 x 4096 for an interlaced or 16-bit PNG)");
    expect(text).toContain("strength is 0.75 ");
    const sandbox = await openSandbox();
    const drawn = async (more: object): Promise<string> => {
      const response = await sandbox.call("generateImage", { ...picture, seed: 1, ...more });
      return Object(await response.json()).images[0].image;
    };
    const plain = await drawn({});
    expect((await drawn({ strength: 0.1 })) === plain).toBe(true);
    const image = await drawn({ width: 640, height: 1536, seed: 2 });
    const usual = await drawn({ image });
    expect(usual === plain).toBe(false);
    expect((await drawn({ image, strength: 0.1 })) === usual).toBe(false);
    for (const wrong of [`data:image/png;base64,${image}`, "", "bm8gcGljdHVyZQ==", pngHead(8193, 8192)]) {
      const issues = await sandbox.issuesOf("generateImage", { ...picture, image: wrong });
      expect(issues).toMatchObject([{ path: ["image"] }]);
    }
  },
  seeds: async () => {
    const drawn = async () => {
      const sandbox = await openSandbox();
      const seeds = [];
      for (let n = 0; n < 2; n += 1) {
        seeds.push((await sandbox.ask("generateImage", picture)).images[0]?.random_seed);
      }
      return seeds;
    };
    const [one, other] = await drawn();
    expect(one).not.toBe(other);
    expect(await drawn()).toEqual([one, other]);
    for (const seed of [one, other]) expect(Number(seed)).toBeLessThan(2 ** 32);
    const sandbox = await openSandbox();
    for (const seed of [-1, 0, Number.MAX_SAFE_INTEGER]) {
      expect((await sandbox.ask("generateImage", { ...picture, seed })).images[0]?.random_seed).toBe(seed);
    }
    for (const seed of [1.5, 2 ** 53]) await sandbox.issuesOf("generateImage", { ...picture, seed });
  },
  speech: async (text) => {
    expect(text).toContain("from 0.25 to 4");
    const sandbox = await openSandbox();
    const { audio, sample_rate } = await sandbox.ask("generateAudio", { text: "Hello", speed: 4 });
    const bytes = Buffer.from(audio, "base64");
    expect(bytes.subarray(0, 4).toString()).toBe("RIFF");
    expect([bytes.readUInt16LE(22), bytes.readUInt32LE(24), bytes.readUInt16LE(34)]).toEqual([
      1,
      sample_rate,
      16,
    ]);
    const more = { text: "Hello", speed: 4, voice: "other", language: "fr" };
    expect((await sandbox.ask("generateAudio", more)).audio === audio).toBe(true);
    const [, most] = /up to (\d+) characters/.exec(text) ?? [];
    const tooLong = { text: "a".repeat(Number(most) + 1), speed: 4 };
    expect(await sandbox.issuesOf("generateAudio", tooLong)).toMatchObject([
      { path: ["text"], message: `must have at most ${most} characters` },
    ]);
    for (const wrong of [{ text: "Hello", speed: 0.2 }, { text: "Hello", speed: 4.1 }, { text: "..." }]) {
      await sandbox.issuesOf("generateAudio", wrong);
    }
  },
} satisfies Checks;
