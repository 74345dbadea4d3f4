import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readFrom, sendToEngine } from "../../../src/sandbox/engines/remote/request.ts";
import { serve } from "../../../src/sandbox/index.ts";
import { chatEngine, type Routes, send, startEngine } from "../../support/engines.ts";
import { openSandbox, origin } from "../harness.ts";
import { requestFor } from "../request.ts";

const messages = [{ role: "user", content: "Hello" }];
const request = { model: "sandbox-echo", messages };
const engineKey = "engine-key-1234567890";

async function withChat(options: Parameters<typeof openSandbox>[0] = {}, models?: readonly string[]) {
  const [sandbox, engine] = await Promise.all([openSandbox(options), chatEngine(models)]);
  sandbox.engines.save({ kind: "chat", url: engine.url });
  const complete = async (more: object = {}) => {
    const response = await sandbox.call("createChatCompletion", { ...request, ...more });
    return { status: response.status, body: Object(await response.json()), headers: response.headers };
  };
  return { sandbox, engine, complete };
}

/** A stream of a chat, read chunk by chunk. */
async function reading(pending: Promise<Response>) {
  const response = await pending;
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  return {
    read: async () => decoder.decode((await reader?.read())?.value),
    rest: async () => {
      let text = "";
      for (let part = await reader?.read(); !part?.done; part = await reader?.read()) {
        text += decoder.decode(part?.value);
      }
      return text;
    },
    cancel: () => reader?.cancel(),
  };
}

test("a request is passed on with its fields as given, and its response is passed back", async () => {
  const { engine, complete } = await withChat();
  const fields = { model: "qwen3", temperature: 0.1, top_k: 5, tools: [{ type: "function" }], stop: null };
  const { status, body } = await complete(fields);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    model: "qwen3",
    choices: [{ message: { content: "Hello from the engine." }, finish_reason: "stop" }],
    usage: { total_tokens: 31 },
    system_fingerprint: "fp_ollama",
  });
  expect(engine.requests.map(({ path, body: sent }) => [path, sent])).toEqual([
    ["/v1/chat/completions", { ...request, ...fields }],
  ]);
});

test("sandbox-echo stands for the first model of the engine, and a model that is set for the engine replaces any requested model", async () => {
  const { sandbox, engine, complete } = await withChat();
  expect((await complete()).body.model).toBe("llama3.2:latest");
  sandbox.engines.save({ kind: "chat", url: engine.url, model: "qwen3:8b" });
  expect((await complete()).body.model).toBe("qwen3:8b");
  expect((await complete({ model: "llama3.2" })).body.model).toBe("qwen3:8b");
});

test("the name sandbox-echo is passed on to a server that lists no models", async () => {
  const sandbox = await openSandbox();
  const engine = await startEngine({
    "POST /v1/chat/completions": ({ body }, response) => send(response, { model: body.model, choices: [] }),
  });
  sandbox.engines.save({ kind: "chat", url: engine.url });
  const response = await sandbox.call("createChatCompletion", request);
  expect(await response.json()).toMatchObject({ model: "sandbox-echo" });
});

test("the listed models are those of the engine", async () => {
  const { sandbox } = await withChat();
  const { body } = await sandbox.assumed("listChatModels");
  expect(body).toMatchObject({ object: "list", data: [{ id: "llama3.2:latest" }, { id: "qwen3:8b" }] });
});

test("each event arrives before the engine sends the next one", async () => {
  const { sandbox, engine } = await withChat();
  const stream = await reading(sandbox.call("createChatCompletion", { ...request, stream: true }));
  for (const token of ["one", " two", " three"]) {
    await engine.next(token);
    expect(await stream.read()).toContain(`"content":"${token}"`);
  }
  await engine.end();
  expect(await stream.rest()).toMatch(/"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/);
});

test("a served sandbox passes events on as they arrive, and disconnects from the engine when the client disconnects", async () => {
  const { sandbox, engine } = await withChat();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  const client = new AbortController();
  const stream = await reading(
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.keys.full}` },
      body: JSON.stringify({ ...request, stream: true }),
      signal: client.signal,
    }),
  );
  await engine.next("one");
  expect(await stream.read()).toContain('"content":"one"');
  const stopped = once(await engine.stream(), "close");
  client.abort();
  await stopped;
});

test("the sandbox disconnects from the engine when the response is canceled", async () => {
  const { sandbox, engine } = await withChat();
  const stream = await reading(sandbox.call("createChatCompletion", { ...request, stream: true }));
  await engine.next("one");
  await stream.read();
  const stopped = once(await engine.stream(), "close");
  await stream.cancel();
  await stopped;
});

test("the sandbox disconnects from the engine when the request is aborted before the response", async () => {
  const sandbox = await openSandbox();
  const events = new EventTarget();
  const [arrived, stopped] = [once(events, "arrived"), once(events, "stopped")];
  const engine = await startEngine({
    "POST /v1/chat/completions": (_request, response) => {
      response.once("close", () => events.dispatchEvent(new Event("stopped")));
      events.dispatchEvent(new Event("arrived"));
    },
  });
  sandbox.engines.save({ kind: "chat", url: engine.url, model: "any" });
  const client = new AbortController();
  const headers = { authorization: `Bearer ${sandbox.keys.full}` };
  const init = { method: "POST", headers, body: JSON.stringify(request), signal: client.signal };
  const aborted = expect(sandbox.fetch(new Request(`${origin}/v1/chat/completions`, init))).rejects.toThrow(
    "aborted",
  );
  await arrived;
  client.abort();
  await Promise.all([aborted, stopped]);
});

test("an error in a stream is passed on as it is", async () => {
  const { sandbox, engine } = await withChat();
  const stream = await reading(sandbox.call("createChatCompletion", { ...request, stream: true }));
  const error = 'event: error\ndata: {"error":{"message":"context size exceeded","code":500}}\n\n';
  await engine.write(error);
  expect(await stream.read()).toBe(error);
});

test("a stream that breaks ends with an error", async () => {
  const { sandbox, engine } = await withChat();
  const stream = await reading(sandbox.call("createChatCompletion", { ...request, stream: true }));
  await engine.next("one");
  expect(await stream.read()).toContain('"content":"one"');
  await engine.cut();
  const message = `The chat engine at ${engine.url}/v1 stopped before the end of its response.`;
  expect(await stream.rest()).toBe(
    `\n\ndata: ${JSON.stringify({ error: { message, type: "server_error", param: null, code: null } })}\n\n`,
  );
});

test("an error of the engine keeps its status and message, both in the service's format and in the common chat-completions format", async () => {
  const { engine, complete } = await withChat();
  const { status, body } = await complete({ model: "gpt-5" });
  const message = `The chat engine at ${engine.url}/v1 responded 404: model 'gpt-5' not found`;
  expect({ status, body }).toEqual({
    status: 404,
    body: {
      code: "NOT_FOUND",
      message,
      issues: [],
      error: { message, type: "not_found_error", param: null, code: null },
    },
  });
});

test.each([
  [
    "a busy server",
    503,
    { error: { message: "Loading model", type: "unavailable_error", code: 503 } },
    "Loading model",
  ],
  ["too many requests", 429, { error: { message: "slow down", code: "rate_limit" } }, "slow down"],
  [
    "invalid fields",
    422,
    { detail: [{ loc: ["body", "messages", 0], msg: "Field required", type: "missing" }] },
    "Invalid input data; messages.0: Field required",
  ],
  ["text", 400, "out of memory", "out of memory"],
])(
  "an error of an engine is passed on with its status and message: %s",
  async (_name, status, body, message) => {
    const sandbox = await openSandbox();
    const engine = await startEngine({
      "POST /v1/chat/completions": (_request, response) =>
        send(response, body, status, { "retry-after": "7" }),
    });
    sandbox.engines.save({ kind: "chat", url: engine.url, model: "any" });
    const response = await sandbox.call("createChatCompletion", { ...request, stream: true });
    expect(response.status).toBe(status);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(Object(await response.json()).message).toContain(`responded ${status}: `);
    expect(Object(await (await sandbox.call("createChatCompletion", request)).json()).message).toContain(
      message,
    );
  },
);

test.each<[string, Routes, string]>([
  [
    "denies access",
    {
      "POST /v1/chat/completions": (_request, response) => send(response, {}, 401),
    },
    "responded 401: it denies access. If the engine requires a key, set the engine again with `--api-key-env NAME`, where NAME is the environment variable that holds the key.",
  ],
  [
    "redirects",
    {
      "POST /v1/chat/completions": (_request, response) =>
        send(response, {}, 307, { location: "https://elsewhere.example/v1/chat/completions?x=1" }),
    },
    "redirects to https://elsewhere.example; gpuctl does not follow redirects. Set the engine's URL to the target with `gpuctl sandbox engine set`.",
  ],
  [
    "is a web page",
    {
      "POST /v1/chat/completions": (_request, response) =>
        void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>"),
    },
    "responded with text/html instead of JSON. Check that the URL points to its API.",
  ],
  [
    "breaks the connection",
    {
      "POST /v1/chat/completions": (_request, response) => void response.destroy(),
    },
    "is not available: it closed the connection. Start it, or remove it with",
  ],
  [
    "cuts its response short",
    {
      "POST /v1/chat/completions": (_request, response) =>
        void response
          .writeHead(200, { "content-type": "application/json", "content-length": "100" })
          .write('{"choices":', () => response.destroy()),
    },
    "did not finish its response: ",
  ],
])("an engine that %s causes an error that says so", async (_name, routes, message) => {
  const sandbox = await openSandbox();
  const engine = await startEngine(routes);
  sandbox.engines.save({ kind: "chat", url: engine.url, model: "any" });
  const response = await sandbox.call("createChatCompletion", request);
  const body = Object(await response.json());
  expect([response.status, body.code]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
  expect(body.message).toContain(`The chat engine at ${engine.url}/v1 ${message}`);
});

test("an engine that does not run causes an error that names the engine", async () => {
  const { engine, complete } = await withChat();
  await engine.stop();
  const { status, body } = await complete({ stream: true });
  expect([status, body.code]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
  expect(body.message).toBe(
    `The chat engine at ${engine.url}/v1 is not available: connection refused. Start it, or remove it with \`gpuctl sandbox engine clear chat\`.`,
  );
});

test("the sandbox gives up on an engine that stays silent for too long", async () => {
  const engine = await startEngine({ "GET /v1/models": () => {} });
  const access = { engine: { kind: "chat", url: `${engine.url}/v1` }, environment: () => undefined } as const;
  const sent = sendToEngine(access, { path: "/models" }, { connect: 10_000, silence: 50 });
  await expect(sent).rejects.toThrow("is not available: it did not respond in time");
});

test("the sandbox gives up on an engine that falls silent in the middle of its response", async () => {
  const engine = await startEngine({
    "GET /v1/models": (_request, response) => void response.writeHead(200).write("{"),
  });
  const access = {
    engine: { kind: "chat", url: `${engine.url}/v1` },
    environment: () => undefined,
  } as const;
  // Long enough for the headers to arrive on a busy machine.
  const response = await sendToEngine(access, { path: "/models" }, { connect: 10_000, silence: 1_000 });
  const read = readFrom(access, response);
  await expect(read).rejects.toThrow("did not finish its response: it stopped sending data.");
});

test("an engine never gets the key of a request, and gets its own key only if a variable is named", async () => {
  const { sandbox, engine, complete } = await withChat({ environment: { ENGINE_KEY: engineKey } });
  await complete();
  await sandbox.assumed("listChatModels");
  expect(engine.requests.length).toBeGreaterThan(2);
  expect(JSON.stringify(engine.requests)).not.toMatch(/authorization|gpuctl-sandbox-full/);
  sandbox.engines.save({ kind: "chat", url: engine.url, apiKeyEnv: "ENGINE_KEY" });
  await complete();
  expect(engine.requests.at(-1)?.headers.authorization).toBe(`Bearer ${engineKey}`);
  expect(JSON.stringify(engine.requests)).not.toContain(sandbox.keys.full);
});

test("while an engine has a key, web pages from other hosts cannot use it", async () => {
  const { sandbox, engine } = await withChat({ environment: { ENGINE_KEY: engineKey } });
  const from = async (page?: string) => {
    const asked = requestFor("createChatCompletion", request, sandbox.keys.full);
    if (page !== undefined) asked.headers.set("origin", page);
    return (await sandbox.fetch(asked)).status;
  };
  expect(await from("https://example.com")).toBe(200);
  sandbox.engines.save({ kind: "chat", url: engine.url, apiKeyEnv: "ENGINE_KEY" });
  const before = engine.requests.length;
  expect(await from("https://example.com")).toBe(403);
  expect(await from("null")).toBe(403);
  expect(await from("https://localhost.example.com")).toBe(403);
  expect(engine.requests).toHaveLength(before);
  expect(await from("http://localhost:3000")).toBe(200);
  expect(await from("http://127.0.0.1:5173")).toBe(200);
  expect(await from()).toBe(200);
});

test("a web page whose host name resolves to this machine cannot use an engine with a key", async () => {
  const { sandbox, engine } = await withChat({ environment: { ENGINE_KEY: engineKey } });
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  /** The response to a GET without Origin. A browser omits Origin when a page sends a GET to its own host. */
  const responseAt = async (host: string): Promise<IncomingMessage> => {
    const headers = { host, authorization: `Bearer ${sandbox.keys.full}` };
    const [response] = await once(get(`${url}/v1/models`, { headers }), "response");
    return response;
  };
  const statusAt = async (host: string) => {
    const response = await responseAt(host);
    response.resume();
    return response.statusCode;
  };
  const { port } = new URL(url);
  expect(await statusAt("evil.example")).toBe(200);
  sandbox.engines.save({ kind: "chat", url: engine.url, apiKeyEnv: "ENGINE_KEY" });
  const before = engine.requests.length;
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example", "192.0.2.1"]) {
    expect(await statusAt(host), host).toBe(403);
  }
  // Programs on this machine, which send no Origin either, get this response, too.
  expect(await text(await responseAt("myhost:8787"))).toContain(
    'while an engine has a key, requests from this machine must have localhost or a loopback address in the Host header, not \\"myhost:8787\\"',
  );
  expect(engine.requests).toHaveLength(before);
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "[::1]", "api.localhost"]) {
    expect(await statusAt(host), host).toBe(200);
  }
  // Other machines may use any name for this machine.
  const { full } = sandbox.keys;
  const headers = { host: "sandbox.internal", authorization: `Bearer ${full}` };
  const request = new Request(`${origin}/v1/models`, { headers });
  expect((await sandbox.fetch(request, { peer: "192.0.2.7" })).status).toBe(200);
});

test("the engine's key is neither stored nor shown", async () => {
  const sandbox = await openSandbox({ environment: { ENGINE_KEY: engineKey } });
  const engine = await startEngine({
    "POST /v1/chat/completions": ({ headers }, response) =>
      send(response, { error: { message: `bad key: ${headers.authorization}` } }, 400),
  });
  sandbox.engines.save({ kind: "chat", url: engine.url, model: "any", apiKeyEnv: "ENGINE_KEY" });
  const response = await sandbox.call("createChatCompletion", request);
  const shown = [await response.text(), sandbox.snapshot(), sandbox.status(), await sandbox.engines.list()];
  expect(shown[0]).toContain("bad key: Bearer ****");
  expect(JSON.stringify(shown)).not.toContain(engineKey);
});

test.each([
  [
    "answer",
    "application/json",
    (said: string) => JSON.stringify({ choices: [{ message: { content: said } }] }),
  ],
  [
    "event",
    "text/event-stream",
    (said: string) => `data: {"error":{"message":"${said}"}}\n\ndata: [DONE]\n\n`,
  ],
])("the engine's key is not shown if an %s in a successful response repeats it", async (_, type, bodyOf) => {
  const sandbox = await openSandbox({ environment: { ENGINE_KEY: engineKey } });
  const engine = await startEngine({
    "GET /v1/models": ({ headers }, response) =>
      send(response, { data: [{ id: headers.authorization, object: "model", created: 1, owned_by: "me" }] }),
    "POST /v1/chat/completions": ({ headers }, response) => {
      const body = bodyOf(`for ${headers.authorization}, too`);
      response.writeHead(200, { "content-type": type });
      // The key is split between two writes.
      const half = body.indexOf(engineKey) + 5;
      response.write(body.slice(0, half), () => setImmediate(() => response.end(body.slice(half))));
    },
  });
  sandbox.engines.save({ kind: "chat", url: engine.url, model: "any", apiKeyEnv: "ENGINE_KEY" });
  const text = await (await sandbox.call("createChatCompletion", request)).text();
  expect(text).toBe(bodyOf("for Bearer ****, too"));
  const { body } = await sandbox.assumed("listChatModels");
  expect(body).toMatchObject({ data: [{ id: "Bearer ****" }] });
});

test.each([
  ["Base64", (key: string) => Buffer.from(key).toString("base64")],
  ["Base64 of a longer text", (key: string) => Buffer.from(`user:${key}`).toString("base64").slice(0, -1)],
  ["text with JSON escapes", (key: string) => key.replaceAll("-", "\\u002d")],
  ["text with URL escapes", (key: string) => key.replaceAll("-", "%2D")],
  ["capital letters", (key: string) => key.toUpperCase()],
])("the engine's key is not shown in an error that repeats it as %s", async (_form, written) => {
  const sandbox = await openSandbox({ environment: { ENGINE_KEY: engineKey } });
  const engine = await startEngine({
    "POST /v1/chat/completions": (_request, response) =>
      send(response, { error: { message: `bad key: ${written(engineKey)}`, code: written(engineKey) } }, 400),
  });
  sandbox.engines.save({ kind: "chat", url: engine.url, model: "any", apiKeyEnv: "ENGINE_KEY" });
  const shown = await (await sandbox.call("createChatCompletion", request)).text();
  expect(shown).toContain("bad key: ");
  expect(shown).toContain('"code":"');
  expect(JSON.parse(shown).message).not.toContain(written(engineKey));
  expect(JSON.parse(shown).error.code).not.toContain(written(engineKey));
});

test.each([
  ["is not set", {}],
  ["is not set", { ENGINE_KEY: "  " }],
  ["does not hold a key", { ENGINE_KEY: "two words" }],
  [
    "holds your service API key, which is not sent to engines",
    { ENGINE_KEY: "real-key", GPUCTL_API_KEY: "real-key" },
  ],
])("nothing is sent to an engine when the variable of its key %s", async (problem, environment) => {
  const { sandbox, engine, complete } = await withChat({ environment });
  sandbox.engines.save({ kind: "chat", url: engine.url, apiKeyEnv: "ENGINE_KEY" });
  const { status, body } = await complete();
  expect(status).toBe(500);
  expect(body.message).toContain(
    `The environment variable ENGINE_KEY, which should hold the key of the chat engine at ${engine.url}/v1`,
  );
  expect(body.message).toContain(problem);
  expect(engine.requests).toEqual([]);
});

test("with an engine, too, requests are checked as the service documents, and need a key", async () => {
  const { sandbox, engine } = await withChat();
  expect((await sandbox.call("createChatCompletion", { messages })).status).toBe(400);
  expect((await sandbox.call("createChatCompletion", request, null)).status).toBe(401);
  expect(engine.requests).toEqual([]);
});
