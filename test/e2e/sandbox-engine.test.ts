import { expect, test } from "vitest";
import { chatEngine } from "../support/engines.ts";
import { createHome, firstChunk, runProgram } from "../support/process.ts";
import { skipWithout } from "../support/programs.ts";

const serviceKey = "sk-of-the-service-0123456789";
const engineKey = "sk-of-the-engine-0123456789";

test("after one process sets an engine, another process streams from it, and the engine receives only its own key", async () => {
  const home = await createHome({ GPUCTL_API_KEY: "gpuctl-sandbox-full" });
  const engine = await chatEngine();
  const set = await home.run(`sandbox engine set chat ${engine.url} --api-key-env ENGINE_KEY`, {
    env: { ENGINE_KEY: engineKey },
  });
  expect(set).toMatchObject({ code: 0, err: "Saved. The server lists llama3.2:latest, qwen3:8b.\n" });

  const chat = home.start("chat hi --sandbox", { ENGINE_KEY: engineKey });
  await engine.next("first");
  // The engine sends the rest only after gpuctl has printed the first token.
  expect(await firstChunk(chat.stdout)).toContain("first");
  await engine.next(" second");
  await engine.end();
  expect((await chat).exitCode).toBe(0);

  // Without the variable that holds the engine's key, nothing is sent.
  const before = engine.requests.length;
  const { code, err } = await home.run("chat hi --sandbox");
  expect(code).toBe(10);
  expect(err).toContain("The environment variable ENGINE_KEY");
  expect(engine.requests).toHaveLength(before);
  expect(new Set(engine.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${engineKey}`]),
  );
  expect(JSON.stringify(engine.requests)).not.toMatch(/gpuctl-sandbox-full/);
});

test("the key of an engine is masked even if the engine sends it in pieces", async () => {
  const home = await createHome();
  const engine = await chatEngine();
  const env = { ENGINE_KEY: engineKey };
  await home.run(`sandbox engine set chat ${engine.url} --api-key-env ENGINE_KEY`, { env });
  const chat = home.start("chat hi --sandbox", env);
  for (const piece of ["It is ", engineKey.slice(0, 9), engineKey.slice(9), " so"]) await engine.next(piece);
  await engine.end();
  expect(await chat).toMatchObject({ exitCode: 0, stdout: "It is **** so" });
});

test("a served sandbox reads the key of an engine from its own environment, and disconnects from the engine when the client disconnects", async () => {
  const server = await createHome({ ENGINE_KEY: engineKey, GPUCTL_API_KEY: serviceKey });
  const { url, apiKey } = JSON.parse(await firstChunk(server.start("sandbox serve --port 0 -o json").stdout));
  const { run, start } = await createHome({ GPUCTL_BASE_URL: url, GPUCTL_API_KEY: apiKey });
  const engine = await chatEngine();
  expect((await run(`sandbox engine set chat ${engine.url} --api-key-env ENGINE_KEY`)).code).toBe(0);
  const chat = start("chat hi --model qwen3");
  await engine.next("first");
  expect(await firstChunk(chat.stdout)).toContain("first");
  const stream = await engine.stream();
  const stopped = new Promise((resolve) => stream.once("close", resolve));
  chat.kill("SIGINT");
  await stopped;
  expect((await chat).exitCode).toBe(130);
  expect(engine.requests.at(-1)).toMatchObject({
    headers: { authorization: `Bearer ${engineKey}` },
    body: { model: "qwen3", stream: true },
  });
  expect(JSON.stringify(engine.requests)).not.toContain(serviceKey);
});

// Only root can become another user. CI runs as root.
test.runIf(process.geteuid?.() === 0)(
  "another user cannot choose which environment variable the served sandbox reads",
  async (context) => {
    skipWithout("setpriv", context);
    const server = await createHome({ ENGINE_KEY: engineKey });
    const { url } = JSON.parse(await firstChunk(server.start("sandbox serve --port 0 -o json").stdout));
    const engine = await chatEngine();
    const body = JSON.stringify({ kind: "chat", url: engine.url, apiKeyEnv: "ENGINE_KEY" });
    const program = `
    fetch(process.argv[1], { method: "POST", body: process.argv[2] })
      .then(async (response) => console.log(response.status, await response.text()));`;
    const post = [process.execPath, "-e", program, `${url}/_sandbox/engines`, body];
    const { out } = await runProgram("setpriv", [
      "--reuid=65534",
      "--regid=65534",
      "--clear-groups",
      ...post,
    ]);
    expect(out).toMatch(/^400 .*only by the user who serves the sandbox/);
    expect(engine.requests).toEqual([]);
    const [node = "", ...args] = post;
    expect((await runProgram(node, args)).out).toMatch(/^200 /);
    expect(engine.requests.at(0)?.headers.authorization).toBe(`Bearer ${engineKey}`);
  },
);
