import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConfigKeyName, choicesOf, configKeys } from "../../src/config/keys.ts";
import type { Question } from "../../src/system/types.ts";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

/** A valid and an invalid value for each configuration key. */
const values: Readonly<Record<ConfigKeyName, readonly [good: string, bad: string]>> = {
  baseUrl: ["https://a.example", "nowhere"],
  inferenceBaseUrl: ["https://b.example/v9", "ftp://b.example"],
  sandbox: ["true", "yes"],
  apiKeyCommand: ["pass show gpuctl", " "],
  output: ["json", "xls"],
  timeout: ["90s", "soon"],
  retries: ["5", "-1"],
  "rentals.region": ["eu-north-4", "the-moon"],
  "rentals.gpuType": ["h200", "h2000"],
  "image.model": ["SD2", "SD3"],
  "chat.model": ["llama", " "],
  "chat.sessions": ["false", "no"],
  "chat.prices": ["llama=0.60/2.40,org/qwen:8b=0.1/0.3", "llama=0.60"],
  "budget.maxCost": ["0.05", "cheap"],
  "budget.maxBurn": ["12.50", "much"],
};

describe.each(Object.entries(values))("the configuration key %s", (name, [good, bad]) => {
  test("can be set, read, listed with its source, and removed", async () => {
    const { run } = await createCli();
    expect(await run(["config", "set", name, good])).toMatchObject({ code: 0 });
    expect(await run(["config", "get", name, "-o", "table"])).toMatchObject({ code: 0, out: `${good}\n` });
    const list = JSON.parse((await run("config list -o json")).out);
    expect(list.find(({ key }: { key: string }) => key === name)).toMatchObject({
      value: good,
      source: 'profile "default"',
    });
    expect(await run(["config", "unset", name])).toMatchObject({ code: 0 });
    expect(await run(["config", "get", name])).toMatchObject({ code: 5, out: "" });
  });

  test("rejects an invalid value", async () => {
    const { run } = await createCli();
    const { code, err } = await run(["config", "set", "--", name, bad]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(name) });
    expect(await run(["config", "get", name])).toMatchObject({ code: 5 });
    const choices = choicesOf(configKeys.find((key) => key.name === name) ?? configKeys[0]);
    for (const choice of choices ?? []) expect(err).toContain(choice);
  });

  test("has a prompt for its value on a terminal, which offers the choices or checks the value", async () => {
    const { run } = await createCli();
    const choices = choicesOf(configKeys.find((key) => key.name === name) ?? configKeys[0]);
    const asked: (Question & { choices?: readonly string[] })[] = [];
    const answer = async (question: Question) => {
      asked.push(question);
      return good;
    };
    const prompts = choices ? { choose: answer } : { text: answer };
    expect(await run(["config", "set", name], { terminal: 80, prompts })).toMatchObject({ code: 0 });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.choices).toEqual(choices);
    if (choices) return;
    expect(asked[0]?.validate?.(bad)).toBeTypeOf("string");
    expect(asked[0]?.validate?.(good)).toBeUndefined();
  });
});

describe("the inference base URL of a profile", () => {
  const inference = "https://inf.example";
  const both = async ({ run }: Awaited<ReturnType<typeof createCli>>) => {
    await run("config set baseUrl https://api.example");
    await run(`config set inferenceBaseUrl ${inference}`);
  };

  test("stays if the base URL is set after it", async () => {
    const { run } = await createCli();
    await run(`config set inferenceBaseUrl ${inference}`);
    expect(await run("config set baseUrl https://api.example")).toMatchObject({ code: 0, err: "" });
    expect(await run("config get inferenceBaseUrl")).toMatchObject({ out: `${inference}\n` });
  });

  test.each(["https://api.example/", "https://API.example:443"])(
    "stays if the base URL becomes %s, which is the same URL",
    async (url) => {
      const cli = await createCli();
      await both(cli);
      expect(await cli.run(`config set baseUrl ${url}`)).toMatchObject({ code: 0, err: "" });
      expect(await cli.run("config get inferenceBaseUrl")).toMatchObject({ out: `${inference}\n` });
      const hostOf = async (url: string) =>
        /^POST (.*)\/v1/.exec((await cli.run(`chat hi -m x --dry-run --base-url ${url}`)).out)?.[1];
      expect(await hostOf("https://api.example/")).toBe(inference);
      // Another path on the same host can belong to another tenant, so the saved inference base URL is not used.
      expect(await hostOf("https://api.example/other")).toBe("https://api.example/other");
    },
  );

  test.each([
    "config set baseUrl https://other.example",
    "config set baseUrl https://api.example/other",
    "config unset baseUrl",
  ])("is removed by `%s`, which says so", async (line) => {
    const cli = await createCli();
    await both(cli);
    expect(await cli.run(line)).toMatchObject({
      code: 0,
      err: `inferenceBaseUrl ${inference} was removed, because it was set for the previous base URL.\n`,
    });
    expect(await cli.run("config get inferenceBaseUrl")).toMatchObject({ code: 5 });
  });

  test("stays in a dry run", async () => {
    const cli = await createCli();
    await both(cli);
    await cli.run("config set baseUrl https://other.example --dry-run");
    expect(await cli.run("config get inferenceBaseUrl")).toMatchObject({ out: `${inference}\n` });
  });
});

describe("an unknown configuration key", () => {
  test.each(["get", "unset"])("is an error that suggests the right key: config %s", async (verb) => {
    const { run } = await createCli();
    const { code, err } = await run(`config ${verb} image.modle`);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("image.model") });
  });

  test("with the name apiKey leads to an error that suggests auth login", async () => {
    const { run } = await createCli();
    const { code, err } = await run("config set apiKey secret");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("gpuctl auth login") });
    expect(err).not.toContain("secret");
  });
});

describe("a value in the configuration", () => {
  const env = { GPUCTL_SANDBOX: "1" };

  test("sets a field of new rentals like a flag, and is shown in the confirmation prompt", async () => {
    const { run } = await createCli();
    await run("config set rentals.region eu-north-4");
    await run("config set rentals.gpuType h200");
    const asked: string[] = [];
    const confirm = async ({ message }: { message: string }) => {
      asked.push(message);
      return true;
    };
    const { requests } = await run("rentals create vm --gpus 1", { env, terminal: 80, prompts: { confirm } });
    expect(asked[0]).toContain("1 x h200 in eu-north-4");
    expect(requests.find(({ method }) => method === "POST")?.body).toEqual({
      gpuCount: 1,
      gpuType: "h200",
      region: "eu-north-4",
    });
    const typed = await run("rentals create vm --gpus 1 --gpu h100", { env });
    expect(typed.requests.find(({ method }) => method === "POST")?.body).toMatchObject({ gpuType: "h100" });
  });

  test("is reported with its key if the command does not accept it", async () => {
    const { run } = await createCli();
    await run("config set rentals.region eu-north-4");
    const { code, err, requests } = await run("rentals create bare-metal --gpus 8 --network-type ethernet", {
      env,
    });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain('rentals.region of profile "default" must be one of');
  });

  test("is overridden by the environment, which is overridden by a flag", async () => {
    const { run } = await createCli();
    await run("config set output json");
    expect((await run("volumes list", { env })).out).toBe("[]\n");
    expect((await run("volumes list", { env: { ...env, GPUCTL_OUTPUT: "id" } })).out).toBe("");
    expect((await run("volumes list -o table", { env })).out).toBe("");
    const list = await run("config list", { env: { GPUCTL_OUTPUT: "json" } });
    expect(JSON.parse(list.out)).toContainEqual({
      key: "output",
      value: "json",
      source: "GPUCTL_OUTPUT",
      meaning: "Output format",
    });
  });

  test("sets the number of retries", async () => {
    const { run } = await createCli({ respond: () => Response.json({}, { status: 503 }) });
    await run("config set retries 1");
    expect((await run("volumes list", overNetwork())).requests).toHaveLength(2);
    expect((await run("volumes list --retries 0", overNetwork())).requests).toHaveLength(1);
  });

  test("applies only to its own profile, as budget.maxCost shows", async () => {
    const { run } = await createCli();
    await run("profile add play --sandbox");
    await run("profile add frugal --sandbox");
    await run("config set budget.maxCost 0.001 --profile frugal");
    expect(await run("image cat")).toMatchObject({ code: 0 });
    expect(await run("image cat --profile frugal")).toMatchObject({ code: 11, requests: [] });
  });
});

describe("a profile with an invalid value", () => {
  test("can be corrected with config set and config unset", async () => {
    const { run, folder } = await createCli();
    await mkdir(join(folder, "config"), { mode: 0o700 });
    const text = '{"profile": "w", "profiles": {"w": {"sandbox": true, "output": "xls", "timeout": "soon"}}}';
    await writeFile(join(folder, "config", "config.json"), text, { mode: 0o600 });
    const { code, err } = await run("volumes list");
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("timeout of the profile must be"),
    });
    expect(await run("config set output json")).toMatchObject({ code: 0 });
    expect(await run("config unset timeout")).toMatchObject({ code: 0 });
    expect(await run("volumes list")).toMatchObject({ code: 0, out: "[]\n" });
  });
});

test("config unset preserves unknown fields of the configuration file", async () => {
  const { run, folder } = await createCli();
  await mkdir(join(folder, "config"), { mode: 0o700 });
  const path = join(folder, "config", "config.json");
  await writeFile(path, '{"later": 1, "profiles": {"default": {"image": {"model": "SD2", "new": true}}}}', {
    mode: 0o600,
  });
  await run("config unset image.model");
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    later: 1,
    version: 1,
    profile: "default",
    profiles: { default: { image: { new: true } } },
  });
});

test("config path prints the path of the configuration file, even if the file does not exist", async () => {
  const { run, folder } = await createCli();
  expect((await run("config path")).out).toBe(`${join(folder, "config", "config.json")}\n`);
});

describe("apiKeyCommand", () => {
  const secret = "sk-live-0123456789abcdef";

  test("cannot be set with config set if the profile has a stored key", async () => {
    const { run } = await createCli();
    await run("auth login --with-token --base-url https://a.example --no-validate", { stdin: secret });
    const { code, err } = await run("config set apiKeyCommand 'pass show gpuctl'");
    expect(code).toBe(2);
    expect(err).toContain('profile "default" has a stored key, which apiKeyCommand would replace');
    expect(await run("auth token")).toMatchObject({ code: 0, out: `${secret}\n` });
    expect(
      await run("auth login --key-command 'pass show gpuctl' --base-url https://a.example"),
    ).toMatchObject({
      code: 0,
    });
    expect(await run("config set apiKeyCommand 'pass show other'")).toMatchObject({ code: 0 });
  });

  test.each([
    `echo ${secret}`,
    `printf '%s' "${secret}"`,
    "echo hunter2hunter2",
    `curl -H 'X-Key: ${secret}' https://vault.example`,
    "vault-get Aa0Bb1Cc2Dd3Ee4Ff5",
  ])("is printed without a key that it contains: %s", async (command) => {
    const { run } = await createCli();
    const lines: (readonly string[])[] = [
      ["config", "set", "apiKeyCommand", command],
      ["config", "get", "apiKeyCommand"],
      ["config", "list"],
      ["config", "list", "-o", "json"],
      ["profile", "show", "-o", "json"],
      ["profile", "add", "more", "--base-url", "https://a.example", "--key-command", command],
    ];
    for (const line of lines) {
      const { code, out, err } = await run(line);
      expect(code, err).toBe(0);
      expect(out + err).not.toMatch(/0123456789|hunter2|Aa0Bb1/);
    }
  });

  test('is also printed without its key in the line "To run this again without prompts"', async () => {
    const { run } = await createCli();
    const add = ["profile", "add", "--base-url", "https://a.example", "--key-command", `echo ${secret}`];
    const { code, err } = await run(add, { terminal: 80, prompts: { text: async () => "more" } });
    expect(code, err).toBe(0);
    expect(err).toContain("To run this again without prompts: gpuctl profile add");
    expect(err).not.toContain(secret);
  });

  test.each([
    "pass show gpuctl/production-2026",
    "op read op://Private/gpuctl/api-key-2026",
    "security find-generic-password -s gpuctl-2026 -w",
    "echo $GPU_SECRET_KEY_2026",
  ])("is printed unchanged if it only names a key: %s", async (command) => {
    const { run } = await createCli();
    await run(["config", "set", "apiKeyCommand", command]);
    expect((await run("config get apiKeyCommand")).out).toBe(`${command}\n`);
  });
});
