import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nouns } from "../../src/cli/generated/tree.ts";
import { servedControls } from "../../src/core/sandbox.ts";
import { keys } from "../../src/sandbox/keys.ts";
import { openSandbox } from "../sandbox/harness.ts";
import { createCli, type SeenRequest } from "../support/cli.ts";
import { always, overNetwork } from "../support/service.ts";

const url = "http://127.0.0.1:8787";
const at = `--base-url ${url}`;
const note = `Using the sandbox at ${url}.\n`;

/** A CLI, and a sandbox with its own state that is served at `url`. */
async function withServed({ peer = "127.0.0.1", token }: { peer?: string; token?: string } = {}) {
  const served = await openSandbox();
  const respond = async ({ method, path, query, headers, body }: SeenRequest) => {
    const request = new Request(`${url}${path}?${new URLSearchParams(query)}`, {
      method,
      headers: { ...headers, host: new URL(url).host },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return (await served.handleControl(request, { peer, token })) ?? served.fetch(request);
  };
  return { served, cli: await createCli({ respond }) };
}

describe("sandbox commands with the URL of a served sandbox", () => {
  test("add a fault to the served sandbox, but not to the local sandbox", async () => {
    const { cli } = await withServed();
    const env = { GPUCTL_BASE_URL: url, GPUCTL_API_KEY: keys.full };
    const added = await cli.run("sandbox fault add --operation listStorageVolumes --status 403", { env });
    expect(added).toMatchObject({ code: 0, err: note });
    expect((await cli.run("volumes list", { env })).code).toBe(4);
    expect((await cli.run("volumes list", { env })).code).toBe(0);
    expect(JSON.parse((await cli.run("sandbox fault list -o json", { env })).out)).toMatchObject([
      { left: 0 },
    ]);
    expect((await cli.run("sandbox fault list -o json --sandbox")).out).toBe("[]\n");
    expect((await cli.run("sandbox fault clear 1", { env })).out).toContain("1");
    const { code, err } = await cli.run("sandbox fault clear 1", { env });
    expect({ code, err }).toEqual({ code: 5, err: expect.stringContaining("fault 1 does not exist") });
  });

  test("seed, save, restore and reset the served sandbox, but not the local sandbox", async () => {
    const { served, cli } = await withServed();
    const before = cli.sandbox.snapshot();
    const stdin = "rentals: [{rentalType: virtual-machine, gpuCount: 1}]";
    expect(await cli.run(`sandbox seed - --yes ${at}`, { stdin })).toMatchObject({ code: 0, err: note });
    expect(served.status()).toMatchObject({ rentals: { active: 1 } });
    expect((await cli.run(`sandbox snapshot state.json ${at}`)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cli.folder, "state.json"), "utf8"))).toEqual(served.snapshot());
    expect((await cli.run(`sandbox reset --yes ${at}`)).code).toBe(0);
    expect(served.status()).toMatchObject({ rentals: { active: 0 } });
    expect((await cli.run(`sandbox restore state.json --yes ${at}`)).code).toBe(0);
    expect(served.status()).toMatchObject({ rentals: { active: 1 } });
    expect(cli.sandbox.snapshot()).toEqual(before);
  });

  test("do not mask the API key of the command in a snapshot, so that the snapshot can be restored", async () => {
    const { served, cli } = await withServed();
    const env = { GPUCTL_API_KEY: "my-team-test-key-1" };
    const stdin = `keys: [{value: ${env.GPUCTL_API_KEY}, name: ci, access: full}]`;
    await cli.run(`sandbox seed - --yes ${at}`, { stdin, env });
    const saved = await cli.run(`sandbox snapshot state.json ${at}`, { env });
    expect(saved).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(cli.folder, "state.json"), "utf8"))).toEqual(served.snapshot());
    expect(await cli.run(`sandbox restore state.json --yes ${at}`, { env })).toMatchObject({ code: 0 });
  });

  test("set the chat script and the boots of the served sandbox", async () => {
    const { served, cli } = await withServed();
    const run = async (line: string, stdin?: string) =>
      JSON.parse((await cli.run(`sandbox ${line} -o json ${at}`, stdin === undefined ? {} : { stdin })).out);
    expect(await run("chat script -", "- text: Hello")).toMatchObject([{ sends: "Hello", used: 0 }]);
    expect(await run("chat script show")).toEqual(served.chatScript.show());
    const request = { model: "any", messages: [{ role: "user", content: "Hi" }] };
    expect(await served.ask("createChatCompletion", request)).toMatchObject({
      choices: [{ message: { content: "Hello" } }],
    });
    expect(await run("chat script clear")).toEqual({ cleared: 1 });
    expect(await run("boot add --outcome failed")).toMatchObject({ id: 1, outcome: "failed" });
    expect(await run("boot list")).toEqual(served.boots.list());
    expect(await run("boot clear 1")).toEqual({ cleared: 1 });
    expect((await cli.run(`sandbox boot clear 1 ${at}`)).code).toBe(5);
    expect(cli.sandbox.boots.list()).toEqual([]);
  });

  test("move the clock of the served sandbox", async () => {
    const { served, cli } = await withServed();
    await cli.run(`sandbox clock freeze ${at}`);
    const { out } = await cli.run(`sandbox clock advance 1h30m0.001s -o id ${at}`);
    expect(out.trim()).toBe(served.clock.show().now);
    await cli.run(`sandbox clock set 2031-05-06T07:08:09.010Z ${at}`);
    expect(served.clock.show()).toMatchObject({ now: "2031-05-06T07:08:09.010Z", frozen: true });
    await cli.run(`sandbox clock resume ${at}`);
    expect(JSON.parse((await cli.run(`sandbox clock show -o json ${at}`)).out)).toMatchObject({
      frozen: false,
    });
    const { code, err } = await cli.run(`sandbox clock set 2030-01-01 ${at}`);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("TIME must not move the clock backward"),
    });
  });

  test("show the status, requests, keys and limits of the served sandbox", async () => {
    const { cli } = await withServed();
    await cli.run(`volumes list ${at}`, { env: { GPUCTL_API_KEY: keys.full } });
    const json = async (line: string) => JSON.parse((await cli.run(`sandbox ${line} -o json ${at}`)).out);
    expect(await json("status")).toMatchObject({ file: ":memory:", faults: 0 });
    expect(await json("requests --limit 1")).toMatchObject([{ method: "GET", status: 200 }]);
    expect(await json("keys")).toMatchObject([{ key: keys.full }, { key: keys.readOnly }]);
    expect(JSON.parse((await cli.run("sandbox limits -o json --sandbox")).out)).toEqual(await json("limits"));
  });

  test("report invalid input with the same errors as for the local sandbox", async () => {
    const { cli } = await withServed();
    for (const line of [
      "sandbox fault add --operation listRentalz --status 500",
      "sandbox fault add --operation '*' --status 200 --times 0",
      "sandbox fault add --operation '*'",
      "sandbox boot add --outcome never --after 1s",
      "sandbox clock advance 9999999d",
    ]) {
      const local = await cli.run(line);
      const { code, out, err } = await cli.run(`${line} ${at}`);
      expect({ code, out, err: err.replace(note, "") }).toEqual({ code: 2, out: "", err: local.err });
    }
    const script = { stdin: "- text: 1" };
    const refused = await cli.run("sandbox chat script -", script);
    expect(refused.code).toBe(2);
    expect((await cli.run(`sandbox chat script - ${at}`, script)).err.replace(note, "")).toBe(refused.err);
    const wrong = { stdin: "rentals: [{gpuCount: 1}]" };
    const local = await cli.run("sandbox seed - --yes", wrong);
    expect((await cli.run(`sandbox seed - --yes ${at}`, wrong)).err.replace(note, "")).toBe(local.err);
  });

  test("name the URL in the confirmation prompt, and change nothing without a confirmation", async () => {
    const { served, cli } = await withServed();
    const asked: string[] = [];
    const prompts = {
      confirm: async ({ message }: { message: string }) => {
        asked.push(message);
        return false;
      },
    };
    const before = served.snapshot();
    for (const line of ["sandbox reset", "sandbox seed state.yaml", "sandbox restore state.yaml"]) {
      const stdin = line.replace("state.yaml", "-");
      expect((await cli.run(`${stdin} ${at}`, { stdin: "{}" })).code).toBe(2);
    }
    expect((await cli.run(`sandbox reset ${at}`, { terminal: 80, prompts })).code).toBe(130);
    expect(asked).toEqual([
      `Delete every rental and volume in the sandbox at ${url}, and undo every other change? (Sandbox: no real resources are affected.)`,
    ]);
    expect(served.snapshot()).toEqual(before);
  });

  test("change nothing in a dry run", async () => {
    const { served, cli } = await withServed();
    const before = served.snapshot();
    for (const line of ["reset", "clock advance 1d", "fault add --operation '*' --reset"]) {
      expect((await cli.run(`sandbox ${line} --dry-run ${at}`)).code).toBe(0);
    }
    expect(served.snapshot()).toEqual(before);
  });

  test("accept additional fields in responses, which a newer sandbox may send", async () => {
    const logged = { number: 1, text: "GET /v1/rentals", duration: 3 };
    const expectation = { met: true, expected: "once", count: 1, logged: 1, requests: [logged], since: 0 };
    const cli = await createCli({
      respond: ({ path }) =>
        Response.json(path.endsWith("/health") ? servedControls.health : { ...expectation, cleared: 1 }),
    });
    for (const line of ["requests --count", "requests expect --operation listRentals", "fault clear --yes"]) {
      expect(await cli.run(`sandbox ${line} ${at}`), line).toMatchObject({ code: 0 });
    }
  });

  test.each([
    ["requests --count", 7],
    ["requests expect --operation listRentals", 7],
    ["requests clear --yes", 10],
    ["fault clear --yes", 10],
  ])("fail if a response is not valid: %s", async (line, code) => {
    const cli = await createCli({
      respond: ({ path }) =>
        Response.json(path.endsWith("/health") ? servedControls.health : { count: "many", cleared: -1 }),
    });
    const { out, err, ...outcome } = await cli.run(`sandbox ${line} ${at}`);
    expect({ ...outcome, out }, err).toMatchObject({ code, out: "" });
    expect(err).toMatch(/cannot be understood|does not say how many were removed/);
  });

  test("send no API key", async () => {
    const { cli } = await withServed();
    const { requests } = await cli.run("sandbox status", overNetwork({ GPUCTL_BASE_URL: url }));
    expect(requests.map(({ path }) => path)).toEqual(["/_sandbox/health", "/_sandbox/status"]);
    for (const { headers } of requests) expect(headers).not.toHaveProperty("authorization");
  });

  test("send the token from a file to another machine, but not with the health check", async () => {
    const token = "0123456789abcdef";
    const { served, cli } = await withServed({ peer: "192.0.2.1", token });
    writeFileSync(join(cli.folder, "token"), `${token}\n`);
    const env = { GPUCTL_BASE_URL: url, GPUCTL_SANDBOX_TOKEN_FILE: join(cli.folder, "token") };
    const { code, requests } = await cli.run("sandbox clock freeze", { env });
    expect(code).toBe(0);
    expect(requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/_sandbox/health", undefined],
      ["/_sandbox/clock/freeze", `Bearer ${token}`],
    ]);
    expect(served.clock.show().frozen).toBe(true);
    // Over plain http, gpuctl sends the token to another machine only with --insecure-http.
    const elsewhere = { ...env, GPUCTL_BASE_URL: "http://sandbox.test" };
    expect(await cli.run("sandbox clock resume", { env: elsewhere })).toMatchObject({
      code: 2,
      err: expect.stringContaining("--insecure-http"),
    });
    expect((await cli.run("sandbox clock resume --insecure-http", { env: elsewhere })).code).toBe(0);
    expect(served.clock.show().frozen).toBe(false);
  });

  test.each([
    ["no token", undefined, 3, "GPUCTL_SANDBOX_TOKEN_FILE"],
    ["another token", "0123456789abcdefg", 3, "GPUCTL_SANDBOX_TOKEN_FILE"],
    ["a short token", "secret", 2, "at least 16"],
    ["a token with a space", "0123456789 0123456789", 2, "at least 16"],
  ])("fail with %s if the sandbox is on another machine", async (_name, given, code, text) => {
    const { served, cli } = await withServed({ peer: "192.0.2.1", token: "0123456789abcdef" });
    if (given !== undefined) writeFileSync(join(cli.folder, "token"), given);
    const env = {
      GPUCTL_BASE_URL: url,
      ...(given !== undefined && { GPUCTL_SANDBOX_TOKEN_FILE: join(cli.folder, "token") }),
    };
    const run = await cli.run("sandbox clock freeze", { env });
    expect({ code: run.code, err: run.err.replaceAll(/\s+/g, " ") }).toEqual({
      code,
      err: expect.stringContaining(text),
    });
    if (given !== undefined) expect(run.err).not.toContain(given);
    expect(served.clock.show().frozen).toBe(false);
  });

  test("exit with 4 if the sandbox accepts requests only from its own machine", async () => {
    const { cli } = await withServed({ peer: "192.0.2.1" });
    const { code, err } = await cli.run(`sandbox status ${at}`);
    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringContaining("requests only from the machine of the sandbox"),
    });
  });
});

describe("a host that is not a sandbox", () => {
  const controls = nouns
    .flatMap(({ commands }) => commands)
    .filter(({ path: [noun, verb] }) => noun === "sandbox" && verb !== "serve");

  test.each(controls.map(({ examples, path }) => [path.join(" "), examples[0]?.command ?? ""]))(
    "gets only a health check from %s",
    async (_path, example) => {
      const cli = await createCli({ respond: always(404, { code: "NOT_FOUND", message: "no", issues: [] }) });
      const before = cli.sandbox.snapshot();
      await cli.run("sandbox snapshot state.json --sandbox");
      const line = example.replace(/^.*\| /, "").replace(/ > .*$/, "");
      const outcome = await cli.run(`${line} ${at}`, { stdin: "{}" });
      expect(outcome).toMatchObject({ code: 5, out: "" });
      expect(outcome.err).toContain(`${url} is not a sandbox`);
      expect(outcome.err).toContain("`gpuctl sandbox serve` serves a sandbox over HTTP.");
      expect(outcome.requests.map(({ path }) => path)).toEqual(["/_sandbox/health"]);
      expect(cli.sandbox.snapshot()).toEqual(before);
    },
  );

  test.each([
    ["other JSON", always(200, { ok: true }), 5],
    ["HTML", always(200, "<html>"), 5],
    ["401", always(401, { code: "UNAUTHORIZED", message: "no", issues: [] }), 5],
    ["500", always(500, {}), 7],
  ])("makes `sandbox status` fail if it responds with %s", async (_name, respond, code) => {
    const { run } = await createCli({ respond });
    expect((await run(`sandbox status ${at}`)).code).toBe(code);
  });
});

describe("sandbox commands use the local sandbox", () => {
  test.each([
    ["without a host", "", {}],
    ["with --sandbox", "--sandbox", { GPUCTL_BASE_URL: url }],
    ["with GPUCTL_SANDBOX", "", { GPUCTL_BASE_URL: url, GPUCTL_SANDBOX: "1" }],
    ["with only an inference host", "", { GPUCTL_INFERENCE_BASE_URL: url }],
  ])("%s", async (_name, flags, env) => {
    const { served, cli } = await withServed();
    expect(await cli.run(`sandbox clock freeze ${flags}`, { env })).toMatchObject({ code: 0, requests: [] });
    expect(cli.sandbox.clock.show()).toMatchObject({ frozen: true });
    expect(served.clock.show().frozen).toBe(false);
  });

  test("with a base URL in the profile", async () => {
    const { served, cli } = await withServed();
    await cli.run(`auth login --with-token ${at}`, { stdin: keys.full });
    expect(await cli.run("sandbox clock freeze")).toMatchObject({ code: 0, requests: [] });
    expect(served.clock.show().frozen).toBe(false);
  });
});
