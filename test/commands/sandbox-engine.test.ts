import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { openSandbox } from "../sandbox/harness.ts";
import { createCli, type SeenRequest } from "../support/cli.ts";
import { automaticEngine, chatEngine, send, speechEngine, startEngine } from "../support/engines.ts";

test("an engine can be set, listed, shown by sandbox status, and cleared", async () => {
  const { run } = await createCli();
  const { url } = await chatEngine();
  const set = await run(`sandbox engine set chat ${url}/ --model qwen3`);
  expect(set).toMatchObject({ code: 0, err: "Saved. The server lists llama3.2:latest, qwen3:8b.\n" });
  expect(set.out.replace(url, "URL")).toMatchInlineSnapshot(`
    "KIND:            chat
    URL:             URL/v1
    MODEL:           qwen3
    VOICE:           -
    KEY FROM:        -
    IGNORED FIELDS:  -
    "
  `);
  const shown = { kind: "chat", url: `${url}/v1`, model: "qwen3", voice: null, apiKeyEnv: null };
  expect(JSON.parse((await run("sandbox engine list -o json")).out)).toEqual([
    { ...shown, ignoredFields: [] },
  ]);
  expect(JSON.parse((await run("sandbox status -o json")).out)).toMatchObject({
    engines: { chat: `${url}/v1`, image: null, audio: null },
  });
  expect(await run("sandbox engine clear chat")).toMatchObject({ code: 0, out: "cleared:  1\n" });
  expect(await run("sandbox engine list")).toMatchObject({
    code: 0,
    out: "",
    err: "No engines: the sandbox generates everything.\n",
  });
});

test("sandbox engine set -o json shows the models and voices of the engine", async () => {
  const { run } = await createCli();
  const [image, audio] = await Promise.all([automaticEngine(), speechEngine()]);
  const set = async (line: string) => JSON.parse((await run(`sandbox engine set ${line} -o json`)).out);
  expect(await set(`image ${image.url}/sdapi/v1/txt2img`)).toMatchObject({
    url: `${image.url}/sdapi/v1`,
    models: ["v1-5-pruned-emaonly", "SDXL1.0-base"],
    ignoredFields: expect.arrayContaining(["prompt_2", "backend"]),
    problem: null,
  });
  expect(await set(`audio ${audio.url}/v1 --voice af_sky`)).toMatchObject({
    url: `${audio.url}/v1`,
    voice: "af_sky",
    models: ["tts-1", "tts-1-hd", "kokoro"],
    voices: ["af_heart", "af_sky", "am_v0adam"],
    problem: null,
  });
});

test("the key of an engine is masked in an answer that has it in pieces, and in the content type of a response", async () => {
  const key = "engine-key-0123456789";
  const cli = await createCli({ environment: { ENGINE_KEY: key } });
  let type = "text/event-stream";
  const engine = await startEngine({
    "GET /v1/models": (_request, response) => send(response, { data: [{ id: "m" }] }),
    "POST /v1/chat/completions": ({ headers }, response) => {
      const said = `It is ${headers.authorization?.slice("Bearer ".length)} so`;
      const events = (said.match(/.{1,4}/g) ?? []).map((content) =>
        JSON.stringify({ choices: [{ index: 0, delta: { content } }] }),
      );
      response.writeHead(200, { "content-type": `${type}; k=${key}` });
      response.end([...events, "[DONE]"].map((event) => `data: ${event}\n\n`).join(""));
    },
  });
  await cli.run(`sandbox engine set chat ${engine.url}/v1 --api-key-env ENGINE_KEY`);
  expect(await cli.run("chat hi --sandbox")).toMatchObject({ code: 0, out: "It is **** so\n" });
  const shown = await cli.run("chat sessions show --sandbox");
  expect(shown.out).toContain("It is **** so");
  type = "text/html";
  const { code, err } = await cli.run("chat hi --sandbox -o json");
  expect({ code, err }).toMatchObject({ code: 10, err: expect.stringContaining("text/html; k=****") });
  const log = await cli.run("sandbox requests -o json");
  expect(log.out + err).not.toContain(key);
});

test("an engine that does not respond is saved with a warning", async () => {
  const { run } = await createCli();
  const { url, stop } = await chatEngine();
  await stop();
  const { code, err } = await run(`sandbox engine set chat ${url}`);
  expect({ code, err }).toEqual({
    code: 0,
    err: `Saved, but the engine may not work. The chat engine at ${url}/v1 is not available: connection refused. Start it, or remove it with \`gpuctl sandbox engine clear chat\`.\n`,
  });
  expect(JSON.parse((await run("sandbox engine list -o json")).out)).toHaveLength(1);
  const chat = await run("chat hi --sandbox");
  expect(chat).toMatchObject({ code: 10, out: "" });
  expect(chat.err).toContain(`The chat engine at ${url}/v1 is not available: connection refused.`);
});

test("an engine without the API or without the model is saved with a warning", async () => {
  const { run } = await createCli();
  const [{ url }, image] = await Promise.all([chatEngine(), automaticEngine()]);
  expect((await run(`sandbox engine set chat ${image.url}`)).err).toBe(
    `Saved, but the engine may not work. The chat engine at ${image.url}/v1 responded 404: Not Found\n`,
  );
  expect((await run(`sandbox engine set chat ${url} --model llama4`)).err).toBe(
    "Saved, but the server does not list llama4. It lists llama3.2:latest, qwen3:8b.\n",
  );
});

test("a dry run of sandbox engine set sends no request and saves nothing", async () => {
  const { run } = await createCli();
  const { url, requests } = await chatEngine();
  const { code, out, err } = await run(`sandbox engine set chat ${url} --dry-run -o json`);
  expect({ code, err }).toEqual({ code: 0, err: "Nothing was done: this is a dry run.\n" });
  expect(JSON.parse(out)).toEqual({ kind: "chat", url });
  expect(requests).toEqual([]);
  expect((await run("sandbox engine list -o json")).out).toBe("[]\n");
  await run(`sandbox engine set chat ${url}`);
  expect((await run("sandbox engine clear --dry-run")).out).toBe("wouldClear:  1\n");
  expect(JSON.parse((await run("sandbox engine list -o json")).out)).toHaveLength(1);
});

test.each([
  ["video http://127.0.0.1:1", 'KIND must be one of chat, image, audio, not "video"'],
  ["chat 127.0.0.1:11434", "URL must be a URL"],
  ["chat ftp://127.0.0.1", "URL must be a URL"],
  ["chat http://user:secret@127.0.0.1", "URL must be a URL without a user name or a password"],
  ["chat http://127.0.0.1/?key=secret", "URL must be a URL without a query"],
  ["chat http://127.0.0.1 --voice alloy", "--voice is for audio engines only"],
  [
    "chat http://127.0.0.1 --api-key-env sk-0123-456",
    "--api-key-env must be the name of an environment variable",
  ],
  ["chat https://127.0.0.1 --api-key-env GPUCTL_API_KEY", "--api-key-env must not be a variable of gpuctl"],
  [
    "chat http://192.0.2.7 --api-key-env ENGINE_KEY",
    "--api-key-env requires https: a key is not sent over plain http to http://192.0.2.7",
  ],
])("sandbox engine set %s is rejected, and nothing changes", async (words, message) => {
  const { run } = await createCli();
  const { code, out, err } = await run(`sandbox engine set ${words}`);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
  expect(err).not.toContain("secret");
  expect((await run("sandbox engine list -o json")).out).toBe("[]\n");
});

test.each([
  ["chat", "http://127.0.0.1:1", "http://127.0.0.1:1/v1"],
  ["chat", "http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1"],
  ["chat", "http://127.0.0.1:1/v1/chat/completions", "http://127.0.0.1:1/v1"],
  ["chat", "http://127.0.0.1:1/api", "http://127.0.0.1:1/api/v1"],
  ["chat", "http://127.0.0.1:1/v1beta/openai/chat/completions", "http://127.0.0.1:1/v1beta/openai"],
  ["audio", "http://127.0.0.1:1/v1/audio/speech", "http://127.0.0.1:1/v1"],
  ["image", "http://127.0.0.1:1", "http://127.0.0.1:1/sdapi/v1"],
  ["image", "http://127.0.0.1:1/forge/sdapi/v1/img2img", "http://127.0.0.1:1/forge/sdapi/v1"],
])("sandbox engine set finds the root of the %s API: for %s, the root is %s", async (kind, url, root) => {
  const { run } = await createCli();
  expect(JSON.parse((await run(`sandbox engine set ${kind} ${url} -o json`)).out).url).toBe(root);
});

test("chat, image and tts use the engines of the sandbox", async () => {
  const { run, folder } = await createCli();
  const [chat, image, audio] = await Promise.all([chatEngine(), automaticEngine(), speechEngine()]);
  await run(`sandbox engine set chat ${chat.url}`);
  await run(`sandbox engine set image ${image.url}`);
  await run(`sandbox engine set audio ${audio.url}`);
  expect(await run("chat hi --no-stream --sandbox")).toMatchObject({
    code: 0,
    out: "Hello from the engine.\n",
  });
  expect((await run("chat models --sandbox -o id")).out).toBe("llama3.2:latest\nqwen3:8b\n");
  const drawn = await run("image harbor --prompt-2 boats --out {seed} --sandbox");
  expect([drawn.code, basename(drawn.out)]).toEqual([0, "965400086.png\n"]);
  expect(drawn.err).toContain("The sandbox's engine ignored these fields: prompt_2.\n");
  expect((await run("tts hello --out hello.wav --sandbox")).code).toBe(0);
  expect(readFileSync(join(folder, "hello.wav")).toString("latin1", 0, 4)).toBe("RIFF");
});

test("chat prints the text that arrived before an error of the engine", async () => {
  const { run } = await createCli();
  const engine = await chatEngine();
  await run(`sandbox engine set chat ${engine.url}`);
  const running = run("chat hi --sandbox");
  await engine.next("one");
  await engine.write('data: {"error":{"message":"context size exceeded","code":500}}\n\n');
  await engine.end();
  const { code, out, err } = await running;
  expect({ isFailure: code !== 0, out: out.trim() }).toEqual({ isFailure: true, out: "one" });
  expect(err).toContain("context size exceeded");
});

test("the engines of a served sandbox can be set, listed and cleared through its URL", async () => {
  const url = "http://127.0.0.1:8787";
  const served = await openSandbox();
  const { run } = await createCli({
    respond: ({ method, path, headers, body }: SeenRequest) => {
      const init = { method, headers: { ...headers, host: new URL(url).host } };
      const request = new Request(url + path, {
        ...init,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return served.handleControl(request, { peer: "127.0.0.1" });
    },
  });
  const engine = await chatEngine();
  const at = `--base-url ${url}`;
  const set = await run(`sandbox engine set chat ${engine.url} ${at}`);
  expect(set.code).toBe(0);
  expect(set.err).toContain("Saved. The server lists llama3.2:latest, qwen3:8b.");
  expect(await served.engines.list()).toMatchObject([{ kind: "chat", url: `${engine.url}/v1` }]);
  expect((await run(`sandbox engine list -o id ${at}`)).out).toBe("chat\n");
  expect((await run("sandbox engine list -o json")).out).toBe("[]\n");
  const refused = await run(`sandbox engine set chat ${engine.url} --voice alloy ${at}`);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain("--voice is for audio engines only");
  expect((await run(`sandbox engine clear audio ${at}`)).out).toBe("cleared:  0\n");
  expect((await run(`sandbox engine clear ${at}`)).out).toBe("cleared:  1\n");
  expect(await served.engines.list()).toEqual([]);
});
