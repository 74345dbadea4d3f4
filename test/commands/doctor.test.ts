import { readdirSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { globals, nouns } from "../../src/cli/generated/tree.ts";
import { Interrupted } from "../../src/core/errors.ts";
import { completionScripts } from "../../src/docs/completions/index.ts";
import { treeOf } from "../../src/docs/tree.ts";
import type { Programs } from "../../src/system/types.ts";
import { type Cli, createCli, firstMoment, type Responder, type TestMachine } from "../support/cli.ts";
import { key, overNetwork, serviceUrl } from "../support/service.ts";

const day = 86_400_000;
const certificate = { issuer: "Example CA", validTo: firstMoment + 90 * day, problem: undefined };
const date = new Date(firstMoment).toUTCString();
const healthy: Partial<TestMachine> = {
  probe: async () => ({ date, isSandbox: false, certificate }),
  which: async (program) => `/usr/bin/${program}`,
};

interface CheckResult {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly advice?: string;
}

/** The result of one check of doctor on a healthy machine with these changes. */
async function checked(
  check: string,
  {
    machine,
    user,
    env,
    respond,
    before,
    programs,
  }: {
    readonly machine?: Partial<TestMachine>;
    readonly user?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly respond: Responder;
    readonly before?: (cli: Cli) => Promise<unknown>;
    readonly programs?: Partial<Programs>;
  },
): Promise<CheckResult & { readonly code: number }> {
  const cli = await createCli({ respond });
  await before?.(cli);
  const { code, out, err } = await cli.run("doctor -o json", {
    env: { GPUCTL_BASE_URL: serviceUrl, GPUCTL_API_KEY: key, ...env },
    machine: { ...healthy, ...machine },
    ...(user !== undefined && { user }),
    ...(programs && { programs }),
  });
  expect(code === 0 ? err : out).toBe("");
  const all: readonly CheckResult[] = code === 0 ? JSON.parse(out) : JSON.parse(err).error.issues;
  const reported = all.find((one) => one.check === check);
  if (reported === undefined) throw new Error(`no check named ${check}`);
  return { ...reported, code };
}

/** A service that accepts the key and serves a description. */
const healthyService: Responder = ({ path }) =>
  Response.json(
    path.endsWith("openapi.json") ? { openapi: "3.1.0", paths: { "/a": { get: {}, post: {} } } } : {},
  );

const respondTo =
  (part: string, respond: () => Response): Responder =>
  (request) =>
    request.path.includes(part) ? respond() : healthyService(request);

const refusal = (status: number) => () =>
  Response.json({ code: "NO", message: "no", issues: [] }, { status });

describe("doctor", () => {
  test("exits with 0 on a healthy machine, and shows each check in a line with a sign and a word", async () => {
    const { run } = await createCli({ respond: healthyService });
    const outcome = await run("doctor", { ...overNetwork({ LANG: "C.UTF-8" }), machine: healthy });
    expect(outcome).toMatchObject({ code: 0, err: "" });
    expect(outcome.out).toContain("✓ ok       description    2 operations\n");
    expect(outcome.out).toMatch(/\n\d+ ok, (1 warning|0 warnings), 0 failed\n$/);
    expect(outcome.out).not.toContain(key);
  });

  test("exits with 1 after a failure, and prints advice below the failed check", async () => {
    const { run } = await createCli({ respond: healthyService });
    const machine = { ...healthy, nodeVersion: "18.0.0" };
    const { code, out, err } = await run("doctor", { ...overNetwork(), machine });
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out).toMatch(/✗ failure {2}node +Node.js 18.0.0 is too old\n +Install Node.js >=20.19\.\n/);
  });

  test("prints nothing on stdout with -o json if a check fails, and lists every check in the error", async () => {
    const { run } = await createCli({ respond: healthyService });
    const machine = { ...healthy, nodeVersion: "18.0.0" };
    const { code, out, err } = await run("doctor -o json", { ...overNetwork(), machine });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    const { error } = JSON.parse(err);
    expect(error).toMatchObject({ code: "UNHEALTHY", exitCode: 1, message: "1 of 14 checks failed" });
    expect(error.issues).toHaveLength(14);
  });

  test("exits with 130 after Ctrl-C, and reports no failures", async () => {
    const stop = new AbortController();
    const { run } = await createCli({
      respond: (request) => {
        stop.abort(new Interrupted());
        return healthyService(request);
      },
    });
    const { code, out } = await run("doctor", { ...overNetwork(), machine: healthy, signal: stop.signal });
    expect({ code, out }).toEqual({ code: 130, out: "" });
  });

  test("sends nothing in the sandbox", async () => {
    const { run } = await createCli();
    const { code, out, requests } = await run("doctor --sandbox -o json", { machine: healthy });
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(JSON.parse(out)).toContainEqual({
      check: "key",
      status: "ok",
      message: "not needed in the sandbox",
    });
  });

  test("sends nothing in a dry run, and says which checks were skipped", async () => {
    const { run } = await createCli();
    const probe = () => Promise.reject(new Error("a dry run must not connect"));
    const options = { ...overNetwork(), machine: { ...healthy, probe } };
    const { code, out, requests } = await run("doctor --dry-run", options);
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(out.match(/skipped: this is a dry run/g)).toHaveLength(5);
  });

  test("sends each request once, does not retry, and changes no files", async () => {
    const { run, folder } = await createCli({ respond: refusal(500) });
    const { code, requests, slept } = await run("doctor", { ...overNetwork(), machine: healthy });
    expect({ code, slept }).toEqual({ code: 1, slept: [] });
    expect(requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([60, 80])(
    "prints lines of at most %i columns on a terminal, except for paths",
    async (terminal) => {
      const { run } = await createCli({ respond: healthyService });
      const { out } = await run("doctor", {
        ...overNetwork({ LANG: "C.UTF-8" }),
        terminal,
        machine: healthy,
      });
      const wide = out.split("\n").filter((line) => line.length > terminal && !line.includes("/"));
      expect(wide).toEqual([]);
    },
  );

  test("prints ASCII signs on a terminal without UTF-8", async () => {
    const { run } = await createCli({ respond: healthyService });
    const { out } = await run("doctor", { ...overNetwork({ LANG: "C" }), terminal: 120, machine: healthy });
    expect(out).toMatch(/^\+ ok /);
    expect(out).toMatch(/! warning {2}terminal .*\n +Set LANG/);
    expect(out).not.toMatch(/[^\n -~…]/);
  });
});

describe("doctor checks Node.js", () => {
  test.each([
    ["20.19.0", "ok"],
    ["20.20.2", "ok"],
    ["26.0.0", "ok"],
    ["20.18.9", "failure"],
    ["9.99.0", "failure"],
  ])("Node.js %s: %s", async (nodeVersion, status) => {
    expect(await checked("node", { respond: healthyService, machine: { nodeVersion } })).toMatchObject({
      status,
    });
  });
});

describe("doctor checks the configuration", () => {
  const written = (text: string, file: number, folder: number) => async (cli: Cli) => {
    const config = join(cli.folder, "config");
    await mkdir(config);
    await writeFile(join(config, "config.json"), text);
    await chmod(join(config, "config.json"), file);
    await chmod(config, folder);
  };

  test.each([
    ["{}", "0600", "0700", "ok", "mode 0600"],
    ["{}", "0644", "0700", "failure", "config.json has mode 0644"],
    ["{}", "0600", "0755", "failure", "config has mode 0755"],
    ["{ nonsense", "0600", "0700", "failure", "is not valid JSON"],
    ['{"profiles": 7}', "0600", "0700", "failure", "profiles must be an object, not a number"],
    ['{"profiles":{"default":{"retries":"x"}}}', "0600", "0700", "failure", 'invalid values: retries "x"'],
  ])("the content %s with modes %s and %s: %s", async (text, fileMode, folderMode, status, message) => {
    const [file, folder] = [Number.parseInt(fileMode, 8), Number.parseInt(folderMode, 8)];
    const reported = await checked("configuration", {
      respond: healthyService,
      before: written(text, file, folder),
    });
    expect(reported).toMatchObject({ status });
    expect(reported.message).toContain(message);
  });

  test.each([{}, { GPUCTL_SANDBOX: "1" }])(
    "a profile that does not exist is a failure, with %j",
    async (env) => {
      const reported = await checked("configuration", {
        respond: healthyService,
        before: (cli) => cli.run("profile add prod --sandbox"),
        env: { GPUCTL_PROFILE: "prdo", ...env },
      });
      expect(reported).toMatchObject({
        code: 1,
        status: "failure",
        message: 'profile "prdo" does not exist (from GPUCTL_PROFILE)',
        advice: "Profiles: prod.",
      });
    },
  );

  test("a file of another user is a failure", async () => {
    const reported = await checked("configuration", {
      respond: healthyService,
      before: written("{}", 0o600, 0o700),
      user: 4711,
    });
    expect(reported).toMatchObject({ status: "failure", message: expect.stringContaining("another user") });
  });

  test("a missing configuration file is ok", async () => {
    expect(await checked("configuration", { respond: healthyService })).toMatchObject({ status: "ok" });
  });
});

describe("doctor checks the service", () => {
  test("a missing base URL is a failure, and checks that need a base URL are skipped", async () => {
    const env = { GPUCTL_BASE_URL: "" };
    expect(await checked("base URL", { respond: healthyService, env })).toMatchObject({
      status: "failure",
      code: 1,
    });
    expect((await checked("TLS", { respond: healthyService, env })).message).toContain("skipped");
  });

  test.each([
    [refusal(500), "no"],
    [() => new Response("<html>hi</html>"), "not JSON"],
    [() => Response.json({ hello: "system" }), "not an OpenAPI description"],
  ])("an unusable description is a failure (case %#)", async (respond, message) => {
    const reported = await checked("description", { respond: respondTo("openapi", respond) });
    expect(reported).toMatchObject({ status: "failure", message: expect.stringContaining(message) });
  });

  test.each([
    [200, "ok", "accepted"],
    [401, "failure", "is not accepted"],
    [403, "warning", "does not have permission"],
    [503, "warning", "could not be checked"],
  ])("a response of %i to a request with the key: %s", async (status, expected, message) => {
    const respond = status === 200 ? healthyService : respondTo("summary", refusal(status));
    const reported = await checked("key", { respond });
    if (status === 401) expect(reported.advice).toBe("Set GPUCTL_API_KEY to another key, or unset it.");
    expect(reported).toMatchObject({ status: expected, message: expect.stringContaining(message) });
    expect(reported.message).toContain("…1234 from GPUCTL_API_KEY");
  });

  test("an apiKeyCommand that fails is a failure", async () => {
    const reported = await checked("key", {
      respond: healthyService,
      env: { GPUCTL_API_KEY: "" },
      before: async ({ run }) => {
        await run(`config set baseUrl ${serviceUrl}`);
        await run("config set apiKeyCommand false");
      },
    });
    expect(reported).toMatchObject({
      status: "failure",
      message: expect.stringContaining("could not get a key from"),
      code: 1,
    });
  });

  test("a missing key is a failure", async () => {
    expect(await checked("key", { respond: healthyService, env: { GPUCTL_API_KEY: "" } })).toMatchObject({
      status: "failure",
    });
  });
});

describe("doctor checks the connection", () => {
  test.each([
    [{}, undefined, "none"],
    [
      { https_proxy: "http://me:secret@proxy:3128" },
      "http://me:secret@proxy:3128",
      "https_proxy applies to api.example.com",
    ],
    [
      { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "*" },
      undefined,
      "HTTPS_PROXY does not apply to api.example.com",
    ],
  ])("the proxy with the environment %j is ok", async (env, used, message) => {
    const reported = await checked("proxy", {
      respond: healthyService,
      env,
      machine: { proxyFor: async () => used },
    });
    expect(reported).toMatchObject({ status: "ok", message: expect.stringContaining(message) });
    expect(reported.message).not.toContain("secret");
  });

  test.each([
    [certificate, "ok", "issued by Example CA, valid until 2027-02-18"],
    [{ ...certificate, validTo: firstMoment + 3 * day }, "warning", "soon"],
    [{ ...certificate, problem: "CERT_HAS_EXPIRED" }, "failure", "CERT_HAS_EXPIRED"],
    [undefined, "warning", "no certificate"],
  ])("a TLS certificate or its absence is reported (case %#)", async (shown, status, message) => {
    const probe = async () => ({ date, isSandbox: false, certificate: shown });
    const reported = await checked("TLS", { respond: healthyService, machine: { probe } });
    expect(reported).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  test.each([
    ["http://127.0.0.1:8787", "ok"],
    ["http://api.example.com", "failure"],
  ])("a base URL without TLS, %s: %s", async (url, status) => {
    const env = { GPUCTL_BASE_URL: url };
    expect(await checked("TLS", { respond: healthyService, env })).toMatchObject({ status });
  });

  test("a host that cannot be reached is a failure for TLS and a warning for the clock", async () => {
    const probe = () => Promise.reject(new Error("no such host (api.example.com)"));
    const machine = { probe };
    expect(await checked("TLS", { respond: healthyService, machine })).toMatchObject({ status: "failure" });
    expect(await checked("clock", { respond: healthyService, machine })).toMatchObject({ status: "warning" });
  });

  test("an unreadable file of CA certificates is a failure", async () => {
    const env = { NODE_EXTRA_CA_CERTS: "/nowhere.pem" };
    const reported = await checked("TLS", { respond: healthyService, env });
    expect(reported).toMatchObject({ status: "failure", message: expect.stringContaining("/nowhere.pem") });
  });

  test.each([
    [0, "ok", "agrees"],
    [-20_000, "ok", "agrees"],
    [60_000, "warning", "1m behind the service"],
    [-60_000, "warning", "1m ahead of the service"],
    [600_000, "failure", "10m behind the service"],
  ])("a clock that differs by %i ms: %s", async (off, status, message) => {
    const there = { date: new Date(firstMoment + off).toUTCString(), isSandbox: false, certificate };
    const machine = { probe: async () => there };
    const reported = await checked("clock", { respond: healthyService, machine });
    expect(reported).toMatchObject({ status, message: expect.stringContaining(message) });
    const ofSandbox = { probe: async () => ({ ...there, isSandbox: true }) };
    expect(await checked("clock", { respond: healthyService, machine: ofSandbox })).toMatchObject({
      status: "ok",
      message: "not compared: the clock of a sandbox can be moved",
    });
  });
});

test("the advice of doctor is for the profile that was checked", async () => {
  const { run } = await createCli({ respond: healthyService });
  await run(`profile add work --base-url ${serviceUrl} --no-validate`);
  const missing = await run("doctor --profile work", { machine: healthy });
  expect(missing.out).toContain("Run `gpuctl auth login --profile work` to store one");
  await run("config set apiKeyCommand 'echo k' --profile work");
  const failed = await run("doctor --profile work -o json", { machine: healthy });
  expect(failed.err).toContain("`gpuctl config get apiKeyCommand --profile work` shows the command.");
});

describe("doctor checks the state folder", () => {
  test("a file in place of the folder is a failure, and the advice is to replace the file", async () => {
    const before = (cli: Cli) => writeFile(join(cli.folder, "state"), "");
    expect(await checked("state folder", { respond: healthyService, before })).toMatchObject({
      status: "failure",
      message: expect.stringContaining("state is not a folder"),
      advice: "Replace it with a folder, or set GPUCTL_STATE_DIR to another folder.",
    });
  });
});

describe("doctor checks the free space of the state folder's disk", () => {
  test.each([
    [2 ** 30, "ok"],
    [undefined, "ok"],
    [8 * 2 ** 20, "warning"],
    [12_345, "failure"],
  ] as const)("%s bytes: %s", async (bytes, status) => {
    const result = await checked("state folder", {
      respond: healthyService,
      machine: { freeBytes: () => bytes },
    });
    expect(result.status).toBe(status);
    if (bytes === 12_345) expect(result.message).toMatch(/^only 12 KiB are free on the disk of \//);
    if (status !== "ok") {
      expect(result.advice).toBe("Free some disk space, or set GPUCTL_STATE_DIR to another folder.");
    }
  });
});

describe("doctor checks the sandbox, other programs and completions", () => {
  test.each([
    [{ packages: [], exists: true }, "ok"],
    [{ packages: [], exists: true, problem: "it is damaged" }, "failure"],
    [
      { packages: [{ name: "x", use: "speech", problem: "is not installed" }], exists: false },
      "warning",
      "x (for speech) is not installed",
    ],
    [
      {
        packages: [
          { name: "x", use: "speech", problem: "is not installed" },
          { name: "y", use: "the sandbox", problem: "is not installed" },
        ],
        exists: false,
      },
      "warning",
      "x (for speech) is not installed; y (for the sandbox) is not installed",
    ],
  ])("the state of the sandbox is reported (case %#)", async (health, status, message = "") => {
    const sandboxHealth = async () => ({ file: "/state/sandbox.sqlite", ...health });
    expect(await checked("sandbox", { respond: healthyService, machine: { sandboxHealth } })).toMatchObject({
      status,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ["unavailable", "Free some disk space"],
    ["damaged", "Run `gpuctl sandbox reset`"],
    ["newer", "Update gpuctl, or run `gpuctl sandbox reset`"],
  ] as const)("the advice for a state that is %s fits", async (kind, advice) => {
    const health = { packages: [], file: "/state/sandbox.sqlite", exists: true, problem: "it is bad", kind };
    const machine = { sandboxHealth: async () => health };
    expect(await checked("sandbox", { respond: healthyService, machine })).toMatchObject({
      status: "failure",
      message: "/state/sandbox.sqlite: it is bad",
      advice: expect.stringContaining(advice),
    });
  });

  test.each(["player", "ssh"])("a missing %s is a warning", async (check) => {
    expect(await checked(check, { respond: healthyService })).toMatchObject({ status: "ok", code: 0 });
    const machine = { which: async () => undefined };
    expect(await checked(check, { respond: healthyService, machine })).toMatchObject({
      status: "warning",
      code: 0,
    });
  });

  test.each([
    [undefined, "complete -F _gpuctl gpuctl", "ok", "bash loads the completions"],
    ["current", "complete -F _gpuctl gpuctl", "ok", "bash loads the completions"],
    ["# old", "complete -F _gpuctl gpuctl", "warning", "is from another version"],
    ["current", "", "warning", "bash does not load"],
    [undefined, "", "warning", "not installed for bash"],
    ["current", undefined, "warning", "cannot tell whether bash loads"],
  ])(
    "completions in the file: %j; completions that bash has loaded: %j; result: %s",
    async (script, printed, status, message) => {
      const before = async (cli: Cli) => {
        const folder = join(cli.folder, ".local", "share", "bash-completion", "completions");
        await mkdir(folder, { recursive: true });
        const current = completionScripts.bash(treeOf(nouns, globals));
        if (script !== undefined)
          await writeFile(join(folder, "gpuctl"), script === "current" ? current : script);
      };
      const env = { SHELL: "/bin/bash" };
      const programs = { capture: async () => printed };
      expect(await checked("completions", { respond: healthyService, env, programs, before })).toMatchObject({
        status,
        message: expect.stringContaining(message),
      });
    },
  );

  test("completions for PowerShell are ok if PowerShell loads them", async () => {
    const programs = { capture: async () => "rentals\n" };
    const options = { respond: healthyService, env: { SHELL: "/usr/bin/pwsh" }, programs };
    expect(await checked("completions", options)).toMatchObject({
      status: "ok",
      message: "powershell loads the completions",
    });
  });
});
