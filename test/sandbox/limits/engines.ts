import { expect } from "vitest";
import {
  automaticEngine,
  chatEngine,
  type Routes,
  send,
  speechEngine,
  startEngine,
} from "../../support/engines.ts";
import { openSandbox } from "../harness.ts";
import type { Checks } from "./check.ts";

const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "hi" }] };
const picture = { model_name: "SDXL1.0-base", prompt: "a lighthouse" };

/** A sandbox with a chat engine, and a function that sends a chat request and returns its response. */
async function withChat(routes: Routes) {
  const sandbox = await openSandbox({ environment: { ENGINE_KEY: "engine-key" } });
  const engine = await startEngine(routes);
  sandbox.engines.save({ kind: "chat", url: engine.url });
  return {
    sandbox,
    engine,
    response: async (more: object = {}) => {
      const response = await sandbox.call("createChatCompletion", { ...chat, ...more });
      return { status: response.status, body: Object(await response.json()) };
    },
  };
}

/** Responds with the body of the request, to which it adds the request's headers. */
const mirror: Routes = {
  "POST /v1/chat/completions": ({ body, headers }, response) => send(response, { ...body, headers }),
};

export const engineChecks = {
  engines: async () => {
    const { sandbox, response } = await withChat(mirror);
    expect((await response({ n: 2, model: "any" })).status).toBe(200);
    expect((await response({ messages: "hi" })).status).toBe(400);
    await sandbox.seed("{}");
    expect(await sandbox.engines.list()).toEqual([]);
    sandbox.engines.save({ kind: "image", url: "http://127.0.0.1:1" });
    sandbox.reset();
    expect(await sandbox.engines.list()).toEqual([]);
  },
  "engine-requests": async (text) => {
    expect(text).toContain("10 s to connect and stay silent for 30 minutes");
    const { sandbox, response } = await withChat(mirror);
    expect((await response({ mirostat: 2 })).body).toMatchObject({ mirostat: 2, messages: chat.messages });
    const save = (url: string) => sandbox.engines.save({ kind: "chat", url });
    expect(save("http://192.0.2.1:8000").url).toBe("http://192.0.2.1:8000/v1");
    expect(() => save("ftp://192.0.2.1")).toThrow("url must be a URL");
    const elsewhere = await startEngine(mirror);
    const moved = await withChat({
      "POST /v1/chat/completions": (_request, redirect) =>
        send(redirect, {}, 308, { location: `${elsewhere.url}/v1/chat/completions` }),
    });
    expect((await moved.response()).status).toBe(500);
    expect(elsewhere.requests).toEqual([]);
  },
  "engine-keys": async () => {
    const { sandbox, engine, response } = await withChat(mirror);
    expect((await response()).body.headers).not.toHaveProperty("authorization");
    const save = (url: string, apiKeyEnv: string) => sandbox.engines.save({ kind: "chat", url, apiKeyEnv });
    save(engine.url, "ENGINE_KEY");
    // The engine repeats the key, which is masked.
    expect((await response()).body.headers.authorization).toBe("Bearer ****");
    expect(engine.requests.at(-1)?.headers.authorization).toBe("Bearer engine-key");
    expect(() => save(engine.url, "GPUCTL_API_KEY")).toThrow("must not be a variable of gpuctl");
    expect(() => save("http://192.0.2.1", "ENGINE_KEY")).toThrow("requires https");
    const text = JSON.stringify(sandbox.snapshot());
    sandbox.reset();
    sandbox.restore(text);
    expect((await response()).body.headers).not.toHaveProperty("authorization");
  },
  "engine-errors": async () => {
    const message = "slow down";
    const busy = await withChat({
      "POST /v1/chat/completions": (_request, response) =>
        send(response, { error: { message, code: "rate_limit" } }, 429),
    });
    expect(await busy.response()).toMatchObject({
      status: 429,
      body: {
        code: "TOO_MANY_REQUESTS",
        message: expect.stringContaining(message),
        issues: [],
        error: { message: expect.stringContaining(message), code: "rate_limit" },
      },
    });
    await busy.engine.stop();
    const { status, body } = await busy.response();
    expect([status, body.message]).toEqual([500, expect.stringContaining(busy.engine.url)]);
    const denied = await withChat({
      "POST /v1/chat/completions": (_request, response) => send(response, {}, 403),
    });
    expect((await denied.response()).status).toBe(500);
    const broken = await withChat({
      "POST /v1/chat/completions": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "text/event-stream" })
          .write("data: {}\n\n", () => response.destroy()),
    });
    const stream = await broken.sandbox.call("createChatCompletion", { ...chat, stream: true });
    expect(await stream.text()).toMatch(/data: \{"error":.*\}\n\n$/);
  },
  "engine-models": async (text) => {
    const sandbox = await openSandbox();
    const { url } = await chatEngine(["one", "two"]);
    const model = async (name: string) =>
      Object(await (await sandbox.call("createChatCompletion", { ...chat, model: name })).json()).model;
    sandbox.engines.save({ kind: "chat", url });
    expect([await model("sandbox-echo"), await model("two")]).toEqual(["one", "two"]);
    sandbox.engines.save({ kind: "chat", url, model: "two" });
    expect([await model("sandbox-echo"), await model("one")]).toEqual(["two", "two"]);
    expect(text).toContain("GET /v1/models");
    expect((await sandbox.assumed("listChatModels")).body).toMatchObject({
      data: [{ id: "one" }, { id: "two" }],
    });
  },
  "engine-pictures": async (text) => {
    const sandbox = await openSandbox();
    const { url } = await automaticEngine({ seed: 7 });
    sandbox.engines.save({ kind: "image", url });
    const [{ ignoredFields } = { ignoredFields: [] }] = await sandbox.engines.list();
    expect(ignoredFields.toSorted()).toEqual(["backend", "enable_refiner", "negative_prompt_2", "prompt_2"]);
    for (const name of ["Gpuctl-Sandbox-Ignored-Fields", ...ignoredFields]) expect(text).toContain(name);
    const drawn = await sandbox.call("generateImage", { ...picture, prompt_2: "boats" });
    expect(drawn.headers.get("gpuctl-sandbox-ignored-fields")).toBe("prompt_2");
    expect(await drawn.json()).toMatchObject({ images: [{ random_seed: 7 }] });
  },
  "engine-speech": async (text) => {
    const sandbox = await openSandbox();
    const { url, requests } = await speechEngine();
    const sent = async (input: object) => {
      await sandbox.call("generateAudio", { text: "hi", ...input });
      const { model, voice, response_format, stream } = Object(requests.at(-1)?.body);
      expect([response_format, stream]).toEqual(["wav", false]);
      return [model, voice];
    };
    sandbox.engines.save({ kind: "audio", url });
    const defaults = await sent({ response_format: "mp3" });
    expect(text).toContain(defaults.join(" and "));
    sandbox.engines.save({ kind: "audio", url, model: "kokoro", voice: "af_sky" });
    expect(await sent({})).toEqual(["kokoro", "af_sky"]);
    expect(await sent({ model: "tts-1-hd", voice: "af_heart" })).toEqual(["tts-1-hd", "af_heart"]);
  },
} satisfies Checks;
