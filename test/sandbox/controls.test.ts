import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, onTestFinished, test } from "vitest";
import { nouns } from "../../src/cli/generated/tree.ts";
import { createSandbox } from "../../src/library/sandbox.ts";
import { serve } from "../../src/sandbox/index.ts";
import { isOwnConnection } from "../../src/sandbox/peer.ts";
import { runProgram } from "../support/process.ts";
import { openSandbox } from "./harness.ts";

interface Described {
  readonly operationId: string;
  readonly description: string;
  readonly requestBody?: { content: Record<string, { readonly example?: unknown }> };
  readonly responses: Readonly<Record<string, { content: Record<string, { schema?: object }> }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: object };
}

async function served() {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  const description: Description = JSON.parse(await (await fetch(`${url}/_sandbox/openapi.json`)).text());
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return { sandbox, url, description, operations };
}

test("a third-party validator and a third-party linter accept the description of the controls", async () => {
  const { description } = await served();
  expect(await new Validator().validate({ ...description })).toEqual({ valid: true });
  const folder = await mkdtemp(join(tmpdir(), "gpuctl-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify({ ...description, servers: [{ url: "http://sandbox.test" }] }));
  const { out } = await runProgram(
    process.execPath,
    ["node_modules/@redocly/cli/bin/cli.js", "lint", "--format=json", "--extends=recommended-strict", file],
    { env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
  );
  expect(JSON.parse(out)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
}, 60_000);

/** A request for each control, by the name of the control. The requests are sent in this order. */
const calls: Readonly<
  Record<string, { readonly query?: string; readonly last?: string; readonly body?: unknown }>
> = {
  health: {},
  keys: {},
  limits: {},
  clock: {},
  freeze: {},
  advance: { body: { hours: 1 } },
  set: { body: { time: "2027-01-01T00:00:00Z" } },
  resume: {},
  fault: { body: { operation: "getRental", status: 503 } },
  faults: {},
  clearFault: { last: "1" },
  clearFaults: {},
  boot: { body: { outcome: "slow", afterSeconds: 1 } },
  boots: {},
  clearBoot: { last: "1" },
  clearBoots: {},
  situation: { body: { kind: "quota", gpus: 8 } },
  situations: {},
  clearSituation: { last: "1" },
  clearSituations: {},
  scenario: { body: { name: "flaky" } },
  engine: { body: { kind: "chat", url: "http://127.0.0.1:1" } },
  engines: {},
  status: {},
  clearEngine: { last: "chat" },
  clearEngines: {},
  setChatScript: { body: [{ text: "Hello" }] },
  chatScript: {},
  clearChatScript: {},
  seed: { body: { rentals: [{ rentalType: "virtual-machine", gpuCount: 1 }] } },
  snapshot: {},
  restore: {},
  requests: { query: "?where=gpuCount=1&limit=5" },
  countRequests: { query: "?status=4xx" },
  expectRequests: { body: { operation: "getRental" } },
  clearRequests: {},
  media: { last: "1" },
  reset: {},
};

test("every described control can be reached, and its response matches its schema", async () => {
  const { sandbox, url, description, operations } = await served();
  expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(calls).sort());
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ ...description, $id: "controls" });
  await fetch(`${url}/v1/image/generation`, {
    method: "POST",
    headers: { authorization: `Bearer ${sandbox.keys.full}` },
    body: JSON.stringify({ prompt: "a lighthouse", width: 64, height: 64 }),
  });
  for (const [name, { query = "", last = "", body }] of Object.entries(calls)) {
    const found = operations.find(({ operation }) => operation.operationId === name);
    if (found === undefined) throw new Error(name);
    const { path, method, operation } = found;
    const sent = name === "restore" ? sandbox.snapshot() : body;
    const response = await fetch(url + path.replace(/\{\w+\}/, last) + query, {
      method,
      ...(sent !== undefined && { body: JSON.stringify(sent) }),
    });
    const text = await response.text();
    expect({ name, status: response.status, text }).toMatchObject({ status: name === "media" ? 404 : 200 });
    const status = String(response.status);
    if (operation.responses[status]?.content["application/json"] === undefined) continue;
    const pointer = [
      "paths",
      path,
      method.toLowerCase(),
      "responses",
      status,
      "content",
      "application/json",
      "schema",
    ]
      .map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    const isValid = ajv.validate({ $ref: `controls#/${pointer}` }, JSON.parse(text));
    expect({ name, text, errors: isValid ? null : ajv.errors }).toMatchObject({ errors: null });
  }
});

test("the example of every described body is accepted, and only the body of a restore has no example", async () => {
  const { url, operations } = await served();
  const withoutExample: string[] = [];
  for (const { path, method, operation } of operations) {
    const content = operation.requestBody?.content["application/json"];
    if (content === undefined) continue;
    if (content.example === undefined) withoutExample.push(operation.operationId);
    else {
      const response = await fetch(url + path, { method, body: JSON.stringify(content.example) });
      expect([operation.operationId, response.status, await response.text()]).toMatchObject([
        operation.operationId,
        200,
        expect.any(String),
      ]);
    }
  }
  expect(withoutExample).toEqual(["restore"]);
});

test("every control except health and media has a command, and all of these except limits have a library method", async () => {
  const { operations } = await served();
  await using library = await createSandbox({ serve: false });
  const members = [
    ...Object.keys(library),
    ...Object.keys(library.chatScript).map((name) => `chatScript ${name}`),
  ];
  const commands = nouns.flatMap(({ commands: all }) => all.map(({ path }) => path.join(" ").trim()));
  // `health` and `media` need a served sandbox, and `limits` is the same for every sandbox.
  const notInLibrary = ["health", "media", "limits"];
  const inLibrary = (name: string) =>
    ({
      clearFault: "clearFaults",
      clearBoot: "clearBoots",
      clearSituation: "clearSituations",
      clearEngine: "clearEngines",
      setChatScript: "chatScript set",
      clearChatScript: "chatScript clear",
    })[name] ?? name;
  for (const { operation } of operations) {
    const { operationId: name, description } = operation;
    if (!notInLibrary.includes(name)) expect(members).toContain(inLibrary(name));
    const command = /`gpuctl (.+)`/.exec(description)?.[1];
    if (command === undefined) expect(["health", "media"]).toContain(name);
    else expect(commands).toContain(command);
  }
});

const token = "a token with no spaces".replaceAll(" ", "-");

/** Returns a function that sends a request from another machine to the controls of a sandbox and returns the status. */
async function fromElsewhere() {
  const sandbox = await openSandbox();
  return async (path: string, headers: Record<string, string>, served: string | null = token) => {
    const request = new Request(`http://sandbox:8787/_sandbox${path}`, {
      method: path === "/reset" ? "POST" : "GET",
      headers: { host: "sandbox:8787", ...headers },
    });
    const response = await sandbox.handleControl(request, { peer: "192.0.2.1", token: served ?? undefined });
    return response?.status;
  };
}

test("except for the health check, other machines need the token to use the controls", async () => {
  const send = await fromElsewhere();
  expect(await send("/reset", { authorization: `Bearer ${token}` })).toBe(200);
  expect(await send("/openapi.json", { authorization: `bearer ${token}` })).toBe(200);
  for (const authorization of [
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    "Bearer ",
    token,
    "",
    `Basic ${token}`,
  ]) {
    expect(await send("/reset", { authorization })).toBe(401);
    expect(await send("/openapi.json", { authorization })).toBe(401);
  }
  expect(await send("/status", {})).toBe(401);
  expect(await send("/health", {})).toBe(200);
  // If the sandbox has no token, no credential gives access, not even to the health check.
  for (const authorization of [`Bearer ${token}`, "Bearer undefined", "Bearer "]) {
    for (const path of ["/reset", "/health", "/openapi.json"])
      expect(await send(path, { authorization }, null)).toBe(403);
  }
});

test("even with the token, other origins cannot use the controls, and other machines cannot open the sandbox's page", async () => {
  const send = await fromElsewhere();
  const authorization = `Bearer ${token}`;
  expect(await send("/reset", { authorization, origin: "https://example.com" })).toBe(403);
  expect(await send("/health", { origin: "https://example.com" })).toBe(403);
  expect(await send("/health", { "sec-fetch-site": "cross-site" })).toBe(403);
  const sandbox = await openSandbox();
  const page = new Request("http://sandbox:8787/", { headers: { accept: "text/html", authorization } });
  expect((await sandbox.handleControl(page, { peer: "192.0.2.1", token }))?.status).toBe(403);
});

test("a connection from another machine does not count as the user's own, even if its two ports are those of a local connection", async () => {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  const { connect } = await import("node:net");
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once("connect", resolve));
  const ports = { remotePort: socket.localPort, localPort: Number(port) };
  expect(await isOwnConnection({ remoteAddress: "192.0.2.1", ...ports })).toBe(false);
  const own = await isOwnConnection({ remoteAddress: "127.0.0.1", ...ports });
  expect(own).toBe(process.platform === "linux" ? true : undefined);
});

test("the health check of a sandbox whose state cannot be read returns an error", async () => {
  const { sandbox, url } = await served();
  expect(await (await fetch(`${url}/_sandbox/health`)).json()).toEqual({ gpuctlSandbox: "served" });
  expect((await fetch(`${url}/_sandbox/health`, { method: "HEAD" })).status).toBe(200);
  sandbox.close();
  expect((await fetch(`${url}/_sandbox/health`)).status).toBe(500);
});

test("a reset over HTTP restores the seed and the scenario", async () => {
  await using sandbox = await createSandbox({
    seed: { rentals: [{ rentalType: "virtual-machine", gpuCount: 2 }] },
    scenario: "slow-boot",
  });
  const reset = async () => (await fetch(`${sandbox.url}/_sandbox/reset`, { method: "POST" })).json();
  await sandbox.seed({ balanceCents: 1 });
  expect(sandbox.status()).toMatchObject({ balanceCents: 1, rentals: { active: 0 } });
  expect(sandbox.boots()).toEqual([]);
  expect(await reset()).toMatchObject({ rentals: { active: 1 } });
  expect(sandbox.boots()).toMatchObject([{ outcome: "slow" }]);
});
