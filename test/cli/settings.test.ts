import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { canPrompt, confirm } from "../../src/cli/prompt/confirm.ts";
import { createCli } from "../support/cli.ts";
import { serviceUrl } from "../support/service.ts";

const profileHost = "https://compute.example.com";
const profileInference = "https://inference.example.com";

describe("the host of inference", () => {
  async function withHosts() {
    const { run } = await createCli();
    const login = `auth login --with-token --no-validate --base-url ${profileHost} --inference-base-url ${profileInference}`;
    await run(login, { stdin: "a-key" });
    return async (flags: string, env: Record<string, string> = {}) => {
      const { out } = await run(`tts Hi --dry-run -o json ${flags}`, { env });
      return new URL(JSON.parse(out).request.url).origin;
    };
  }

  test.each<[string, Record<string, string>, string]>([
    ["", {}, profileInference],
    ["--base-url https://staging.example", {}, "https://staging.example"],
    ["", { GPUCTL_BASE_URL: "https://staging.example" }, "https://staging.example"],
    [`--base-url ${profileHost}`, {}, profileInference],
    [
      "--base-url https://staging.example",
      { GPUCTL_INFERENCE_BASE_URL: "https://named.example" },
      "https://named.example",
    ],
    ["--inference-base-url https://flag.example", {}, "https://flag.example"],
  ])("%s %j: inference uses %s", async (flags, env, host) => {
    const hostOf = await withHosts();
    expect(await hostOf(flags, env)).toBe(host);
  });
});

describe("either host flag turns the sandbox off", () => {
  test.each(["base-url", "inference-base-url"])("--%s with GPUCTL_SANDBOX=1", async (flag) => {
    const { run } = await createCli();
    const env = { GPUCTL_SANDBOX: "1" };
    const { out, requests } = await run(`tts Hi --dry-run --${flag} ${serviceUrl}`, { env });
    expect(out).toContain(`POST ${serviceUrl}/v1/audio/generation`);
    expect(requests).toEqual([]);
  });
});

describe("GPUCTL_SANDBOX", () => {
  const host = { GPUCTL_BASE_URL: "https://api.example.com", GPUCTL_API_KEY: "key-of-mine" };
  const hostOf = async (env: Record<string, string>, flags = "") => {
    const { run } = await createCli();
    const { code, out, err } = await run(`volumes list --dry-run ${flags}`, { env: { ...host, ...env } });
    return { code, where: /GET (\S+)\/v2/.exec(out)?.[1], err };
  };

  test.each(["1", "true", "True"])("%s turns the sandbox on", async (value) => {
    expect(await hostOf({ GPUCTL_SANDBOX: value })).toMatchObject({ where: "http://sandbox.localhost" });
  });

  test.each(["0", "false", ""])("%j leaves the sandbox off", async (value) => {
    expect(await hostOf({ GPUCTL_SANDBOX: value })).toMatchObject({ where: host.GPUCTL_BASE_URL });
  });

  test("0 overrides the profile", async () => {
    const { run } = await createCli();
    await run("config set sandbox true");
    expect((await run("volumes list")).code).toBe(0);
    const { code, requests } = await run("volumes list", { env: { GPUCTL_SANDBOX: "0" } });
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
  });

  test.each(["nope", "yes", "2", " ", "__proto__", "constructor"])(
    "%j is an error, and nothing is sent",
    async (value) => {
      const { run } = await createCli();
      const { code, err, requests } = await run("volumes list", { env: { GPUCTL_SANDBOX: value } });
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain(`GPUCTL_SANDBOX must be 1, true, 0 or false, not ${JSON.stringify(value)}`);
    },
  );

  test("a flag overrides the variable", async () => {
    expect(await hostOf({ GPUCTL_SANDBOX: "nope" }, "--sandbox")).toMatchObject({ code: 0 });
  });
});

describe("a configuration with invalid JSON", () => {
  test.each(["volumes list --sandbox", "sandbox status", "image price --sandbox"])(
    "stops %s, even in the sandbox: otherwise the output and budget settings in the file would be ignored silently",
    async (line) => {
      const { run, folder } = await createCli();
      await mkdir(join(folder, "config"));
      const file = join(folder, "config", "config.json");
      await writeFile(file, "{", { mode: 0o600 });
      const { code, err, requests } = await run(line);
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(err).toContain(file);
      expect(await readFile(file, "utf8")).toBe("{");
    },
  );
});

describe("a duration can be at most 24 days, because a timer cannot run longer", () => {
  const expected = expect.stringContaining("must be at most 24d");

  test.each(["--timeout 25d", "--timeout 600h"])("%s", async (flag) => {
    const { run } = await createCli();
    expect(await run(`volumes list --sandbox ${flag}`)).toMatchObject({
      code: 2,
      err: expected,
      requests: [],
    });
  });

  test("GPUCTL_TIMEOUT", async () => {
    const { run } = await createCli();
    const { code, err } = await run("volumes list --sandbox", { env: { GPUCTL_TIMEOUT: "24d1ms" } });
    expect({ code, err }).toEqual({ code: 2, err: expected });
    expect(err).toContain("GPUCTL_TIMEOUT");
  });

  test.each(["--interval", "--wait-timeout"])("rentals wait %s", async (flag) => {
    const { run } = await createCli();
    expect(await run(`rentals wait 1 --sandbox ${flag} 30d`)).toMatchObject({
      code: 2,
      err: expected,
      requests: [],
    });
  });

  test("rentals create --wait-timeout, before anything is rented", async () => {
    const { run } = await createCli();
    const line = "rentals create vm --gpus 1 --sandbox --wait --wait-timeout 30d";
    const { code, err, requests } = await run(line);
    expect({ code, err }).toEqual({ code: 2, err: expected });
    expect(requests.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("24 days is accepted", async () => {
    const { run } = await createCli();
    expect(await run("volumes list --sandbox --timeout 24d")).toMatchObject({ code: 0 });
  });
});

describe("a configuration that cannot be read", () => {
  test.each(["volumes list", "auth logout"])("is reported with its path: %s", async (line) => {
    const { run, folder } = await createCli();
    const path = join(folder, "config", "config.json");
    await mkdir(path, { recursive: true });
    const { code, err } = await run(line);
    expect(code).toBe(2);
    expect(err).toContain(`${path} is not a regular file`);
    expect(err).not.toContain("bug in gpuctl");
  });
});

describe("prompts need a terminal for input and for output", () => {
  const prompts = async () => {
    throw new Error("prompted");
  };
  const terminal = {
    isTTY: true,
    columns: 80,
    rows: 24,
    read: async () => new Uint8Array(),
    pieces: () => Readable.from([]),
    write: async () => {},
  };
  const file = { ...terminal, isTTY: false };

  test.each([
    [terminal, terminal, true],
    [file, terminal, false],
    [terminal, file, false],
  ])("and must be allowed (case %#)", (stdin, stderr, expected) => {
    expect(canPrompt({ promptsAllowed: true }, { stdin, stderr })).toBe(expected);
    expect(canPrompt({ promptsAllowed: false }, { stdin, stderr })).toBe(false);
  });

  test("without a terminal, gpuctl spends without asking, and deletes only with --yes", async () => {
    const settings = { yes: false, promptsAllowed: true, sandbox: true, profile: "p", baseUrl: undefined };
    const system = { stdin: terminal, stderr: file, prompts };
    const path = ["rentals"];
    await confirm({ question: () => "Rent it?" }, { path, confirm: "spending" }, settings, system);
    const deleting = confirm(
      { question: () => "Delete it?" },
      { path, confirm: "destruction" },
      settings,
      system,
    );
    await expect(deleting).rejects.toThrow("--yes");
  });
});

describe("a current profile that does not exist", () => {
  test("is reported, and can be fixed", async () => {
    const { run, folder } = await createCli();
    await run("profile add play --sandbox");
    await writeFile(
      join(folder, "config", "config.json"),
      '{"profile":"gone","profiles":{"play":{"sandbox":true}}}',
    );
    const { code, err, requests } = await run("rentals list");
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toBe('Error: profile "gone" does not exist (from the configuration)\nProfiles: play.\n');
    expect(await run("profile use play")).toMatchObject({ code: 0 });
    expect(await run("rentals list")).toMatchObject({ code: 0 });
  });
});

test.each(["completion bash", "help", "config path"])("%s runs with a broken configuration", async (line) => {
  const { run, folder } = await createCli();
  await run("profile add play --sandbox");
  await writeFile(join(folder, "config", "config.json"), "{");
  expect(await run(line)).toMatchObject({ code: 0, err: "" });
  expect(await run("rentals list --sandbox")).toMatchObject({ code: 2 });
});

test.each(["completion bash", "help", "config path"])(
  "%s runs with a profile that does not exist, or that has an invalid value",
  async (line) => {
    const { run, folder } = await createCli();
    await run("profile add play --sandbox");
    const env = { GPUCTL_PROFILE: "gone" };
    expect(await run(line, { env })).toMatchObject({ code: 0, err: "" });
    expect(await run("rentals list", { env })).toMatchObject({ code: 2 });
    const text = '{"profile":"play","profiles":{"play":{"sandbox":true,"timeout":"soon"}}}';
    await writeFile(join(folder, "config", "config.json"), text);
    expect(await run(line)).toMatchObject({ code: 0, err: "" });
    expect(await run("rentals list")).toMatchObject({ code: 2 });
  },
);
