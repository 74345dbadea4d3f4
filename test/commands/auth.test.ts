import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Interrupted } from "../../src/core/errors.ts";
import { maxSecretLength } from "../../src/core/redact.ts";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { type Cli, createCli, type Responder } from "../support/cli.ts";
import { always, key, overNetwork, serviceUrl } from "../support/service.ts";

const checkedLogin = `auth login --with-token --base-url ${serviceUrl} --profile default`;
const login = (profile = "default") =>
  `auth login --with-token --no-validate --base-url ${serviceUrl} --profile ${profile}`;
const configOf = ({ folder }: Cli) => join(folder, "config", "config.json");
const savedConfig = async (cli: Cli) => JSON.parse(await readFile(configOf(cli), "utf8"));

describe("a key that is too long for a header", () => {
  test("is not saved", async () => {
    const cli = await createCli();
    const { code, err } = await cli.run(login(), { stdin: "k".repeat(300_000) });
    expect(code).toBe(2);
    expect(err).toBe(`Error: the key cannot be used: it has more than ${maxSecretLength} characters\n`);
    await expect(stat(configOf(cli))).rejects.toThrow();
  });

  test("is not sent, and neither blocks gpuctl nor appears in an error", async () => {
    const long = `sk-${"k".repeat(100_000)}`;
    const { run } = await createCli();
    const { code, out, err, requests } = await run("rentals summary", overNetwork({ GPUCTL_API_KEY: long }));
    expect({ code, out, requests }).toEqual({ code: 3, out: "", requests: [] });
    expect(err).toContain(`the API key has more than ${maxSecretLength} characters`);
    expect(err).not.toContain("kkkkkkkk");
  });
});

describe("auth login", () => {
  test("stores the key from stdin in a private file, and shows its last four characters", async () => {
    const cli = await createCli();
    const { code, out, err, requests } = await cli.run(login(), { stdin: `${key}\n` });
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(out + err).not.toContain(key);
    expect(out).toContain("…1234");
    expect(await savedConfig(cli)).toEqual({
      version: 1,
      profile: "default",
      profiles: { default: { apiKey: key, baseUrl: serviceUrl } },
    });
    expect((await stat(configOf(cli))).mode & 0o777).toBe(0o600);
    expect((await stat(join(cli.folder, "config"))).mode & 0o777).toBe(0o700);
  });

  test("on a terminal, prompts for the key without echo", async () => {
    const cli = await createCli();
    const prompts = { secret: async () => key };
    const { code, out } = await cli.run(`auth login --no-validate --base-url ${serviceUrl}`, {
      terminal: 80,
      prompts,
    });
    expect(code).toBe(0);
    expect(out).not.toContain(key);
    expect(await savedConfig(cli)).toMatchObject({ profiles: { default: { apiKey: key } } });
  });

  test("changes nothing after Ctrl-C at the prompt", async () => {
    const cli = await createCli();
    const secret = async () => {
      throw new Interrupted();
    };
    const { code } = await cli.run(`auth login --base-url ${serviceUrl}`, {
      terminal: 80,
      prompts: { secret },
    });
    expect(code).toBe(130);
    await expect(stat(configOf(cli))).rejects.toThrow();
  });

  test.each([
    ["https://api.example.com", "it is a URL; --base-url sets the host"],
    ["~/key.txt", "it is a path"],
    ["/home/ada/key.txt", "it is a path"],
    ["./key.txt", "it is a path"],
    ["C:\\keys\\gpu.txt", "it is a path"],
    ["my key", "it has spaces"],
  ])("rejects %s as a key", async (stdin, problem) => {
    const cli = await createCli();
    const { code, err, requests } = await cli.run(login(), { stdin });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(err).toContain(`Error: the key cannot be used: ${problem}`);
    await expect(stat(configOf(cli))).rejects.toThrow();
  });

  test.each([
    ["gpuctl-sandbox-full", "The service accepts the key."],
    ["gpuctl-sandbox-read-only", "The service accepts the key, but it is read-only"],
  ])("checks the key %s with the service and says whether it can write", async (stdin, found) => {
    const cli = await createCli();
    const { code, err, requests } = await cli.run(checkedLogin, { stdin });
    expect({ code, first: requests[0]?.path }).toEqual({
      code: 0,
      first: "/v2/on-demand/active-rental-summary",
    });
    expect(err).toContain(found);
    expect(await savedConfig(cli)).toMatchObject({ profiles: { default: { apiKey: stdin } } });
  });

  test.each(["access", "permission", "scope", "role"])(
    'says that a key is read-only if its %s is a list without "write"',
    async (field) => {
      const keys = (access: readonly string[]): Responder => {
        return ({ path }) =>
          path.endsWith("/api-keys") ? Response.json([{ lastFour: "full", [field]: access }]) : undefined;
      };
      const readOnly = await createCli({ respond: keys(["read"]) });
      const { err } = await readOnly.run(checkedLogin, { stdin: "gpuctl-sandbox-full" });
      expect(err).toContain("but it is read-only");
      const full = await createCli({ respond: keys(["read", "write"]) });
      const other = await full.run(checkedLogin, { stdin: "gpuctl-sandbox-full" });
      expect(other.err).toContain("The service accepts the key.");
    },
  );

  test("keeps the saved key if the service rejects the new one", async () => {
    const cli = await createCli();
    await cli.run(checkedLogin, { stdin: "gpuctl-sandbox-full" });
    const { code, out, err } = await cli.run(checkedLogin, { stdin: "another-key-1234" });
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(err).toContain("The service does not accept the key\nNothing was saved.");
    expect(await savedConfig(cli)).toMatchObject({
      profiles: { default: { apiKey: "gpuctl-sandbox-full" } },
    });
  });

  test.each(["summary", "openapi.json"])(
    "keeps the saved key after Ctrl-C during the check: %s",
    async (part) => {
      const stop = new AbortController();
      let interrupts = false;
      const cli = await createCli({
        respond: ({ path }) => {
          if (!interrupts || !path.includes(part)) return undefined;
          stop.abort(new Interrupted());
          throw new ConnectionFailed("aborted", { code: "ABORTED", sent: true });
        },
      });
      await cli.run(checkedLogin, { stdin: "gpuctl-sandbox-full" });
      const before = await savedConfig(cli);
      interrupts = true;
      const { code } = await cli.run(checkedLogin, {
        stdin: "gpuctl-sandbox-read-only",
        signal: stop.signal,
      });
      expect(code).toBe(130);
      expect(await savedConfig(cli)).toEqual(before);
    },
  );

  test("says that the key was saved untested if --no-validate is set or the service cannot be reached", async () => {
    const offline = await createCli({
      respond: () => {
        throw new ConnectionFailed("no such host", { code: "ENOTFOUND", sent: false });
      },
    });
    const { code, err } = await offline.run(checkedLogin, { stdin: key });
    expect(code).toBe(0);
    expect(err).toContain("The key was saved untested: the service could not check it (no such host)");
    const { run } = await createCli();
    const untested = await run(login(), { stdin: key });
    expect(untested).toMatchObject({ code: 0, requests: [] });
    expect(untested.err).toContain("The key was saved untested: --no-validate.");
  });

  test.each([
    ["a redirect to another host", always(302, "", { location: "https://login.example.net/" })],
    ["a web page", always(200, "<html>Welcome</html>", { "content-type": "text/html" })],
    ["404 and a web page", always(404, "<html>Not found</html>", { "content-type": "text/html" }), 5],
    ["403 and a web page", always(403, "<html>Blocked</html>", { "content-type": "text/html" }), 4],
  ])("saves no key if the host responds with %s", async (_, respond, expected = 7) => {
    const cli = await createCli({ respond });
    const { code, out, err } = await cli.run(checkedLogin, { stdin: key });
    expect({ code, out }).toEqual({ code: expected, out: "" });
    expect(err).toContain("Nothing was saved. Is the base URL right? --no-validate saves the key untested.");
    await expect(stat(configOf(cli))).rejects.toThrow();
  });

  test.each(["", "  \n", "two words", "clé"])("rejects the key %j", async (stdin) => {
    const cli = await createCli();
    expect(await cli.run(login(), { stdin })).toMatchObject({ code: 2, out: "" });
    await expect(stat(configOf(cli))).rejects.toThrow();
  });

  test("says that the profile no longer uses the sandbox", async () => {
    const cli = await createCli();
    await cli.run("profile add trial --sandbox");
    const { err } = await cli.run(login("trial"), { stdin: key });
    expect(err).toContain(
      `The profile "trial" used the sandbox. It now uses ${serviceUrl}, and what it rents is billed.`,
    );
    expect((await cli.run(login("trial"), { stdin: key })).err).not.toContain("sandbox");
  });

  test("says that it replaced the key for another host", async () => {
    const cli = await createCli();
    await cli.run("auth login --with-token --no-validate --base-url https://a.example.com", { stdin: key });
    const { err } = await cli.run(login(), { stdin: key });
    expect(err).toContain('The key for https://a.example.com in the profile "default" was replaced.');
    expect((await cli.run(login(), { stdin: key })).err).not.toContain("replaced");
  });

  test("requires --with-token without a terminal", async () => {
    const { run } = await createCli();
    const { code, err } = await run(`auth login --base-url ${serviceUrl}`);
    expect(code).toBe(2);
    expect(err).toContain("--with-token");
  });

  test("keeps the first profile as the current one, and does not change other profiles", async () => {
    const cli = await createCli({ respond: always(200, []) });
    await cli.run(login("work"), { stdin: "work-key" });
    await cli.run(login("home"), { stdin: "home-key" });
    const { requests } = await cli.run("volumes list");
    expect(requests[0]?.headers.authorization).toBe("Bearer work-key");
    const other = await cli.run("volumes list --profile home");
    expect(other.requests[0]?.headers.authorization).toBe("Bearer home-key");
    await cli.run(login("work"), { stdin: "new-key" });
    expect(await savedConfig(cli)).toMatchObject({
      profile: "work",
      profiles: { work: { apiKey: "new-key" }, home: { apiKey: "home-key" } },
    });
  });

  test("keeps and reports an inference base URL that was set before any base URL", async () => {
    const cli = await createCli();
    await cli.run("config set inferenceBaseUrl https://inference.example");
    const { code, out, err } = await cli.run(login(), { stdin: `${key}\n` });
    expect(code).toBe(0);
    expect(out).toMatch(/inferenceBaseUrl: +https:\/\/inference\.example\n/);
    expect(err).not.toContain("Inference uses the base URL");
    expect((await cli.run("config get inferenceBaseUrl")).out).toBe("https://inference.example\n");
  });

  test("removes the saved inference host if the base URL changes", async () => {
    const cli = await createCli();
    await cli.run(`${login()} --inference-base-url https://old.example`, { stdin: key });
    await cli.run("auth login --with-token --no-validate", { stdin: "key-of-the-same-service" });
    expect(await savedConfig(cli)).toMatchObject({
      profiles: { default: { inferenceBaseUrl: "https://old.example" } },
    });
    const changed = "auth login --with-token --no-validate --base-url https://new.example";
    const { out, err } = await cli.run(changed, { stdin: "new-key-of-new" });
    expect(out).toMatch(/inferenceBaseUrl: +https:\/\/new\.example\n/);
    expect(err).toContain("Inference uses the base URL too");
    expect(await savedConfig(cli)).toEqual({
      version: 1,
      profile: "default",
      profiles: { default: { apiKey: "new-key-of-new", baseUrl: "https://new.example" } },
    });
  });

  test.each(["abcd", "elevenchars"])("shows no part of a key as short as %s", async (short) => {
    const cli = await createCli({ respond: always(200, {}) });
    const { out } = await cli.run(`${login()} -o json`, { stdin: short });
    expect(JSON.parse(out).key).toBe("…");
    expect(JSON.parse((await cli.run("auth status -o json")).out).key).toBe("…");
  });

  test("shows in a dry run what it would save, and saves nothing", async () => {
    const cli = await createCli();
    const { out, err } = await cli.run(`${login()} --dry-run -o json`, { stdin: key });
    expect(JSON.parse(out)).toMatchObject({ key: "…1234", baseUrl: serviceUrl, savedIn: null });
    expect(err).toContain("Nothing was done: this is a dry run.");
    await expect(stat(configOf(cli))).rejects.toThrow();
  });

  test.each(["--with-token", "--key-command print"])(
    "%s stores no key without a host, because such a key could be sent to any host",
    async (flags) => {
      const cli = await createCli();
      const { code, err } = await cli.run(`auth login ${flags}`, { stdin: key });
      expect(code).toBe(3);
      expect(err).toContain("no base URL is set");
      expect(err).toContain("add --base-url URL. Nothing was saved.");
      await expect(stat(configOf(cli))).rejects.toThrow();
    },
  );

  test("stores the host that the environment names", async () => {
    const cli = await createCli();
    const env = { GPUCTL_BASE_URL: serviceUrl };
    expect(await cli.run("auth login --with-token --no-validate", { env, stdin: key })).toMatchObject({
      code: 0,
    });
    expect(await savedConfig(cli)).toMatchObject({
      profiles: { default: { apiKey: key, baseUrl: serviceUrl } },
    });
  });
});

describe("auth logout", () => {
  test("removes the key and keeps the rest of the profile", async () => {
    const cli = await createCli();
    await cli.run(login(), { stdin: key });
    expect(JSON.parse((await cli.run("auth logout -o json")).out)).toEqual({
      profile: "default",
      forgotten: true,
    });
    expect(await savedConfig(cli)).toEqual({
      version: 1,
      profile: "default",
      profiles: { default: { baseUrl: serviceUrl } },
    });
    expect(await cli.run("volumes list")).toMatchObject({ code: 3, requests: [] });
  });

  test("removes nothing in a dry run", async () => {
    const cli = await createCli();
    await cli.run(login(), { stdin: key });
    const { err } = await cli.run("auth logout --dry-run");
    expect(err).toBe("Nothing was done: this is a dry run.\n");
    expect(await savedConfig(cli)).toMatchObject({ profiles: { default: { apiKey: key } } });
  });

  test("says that there is no key to remove", async () => {
    const { run } = await createCli();
    const { code, out, err } = await run("auth logout -o json");
    expect({ code, out: JSON.parse(out) }).toEqual({
      code: 0,
      out: { profile: "default", forgotten: false },
    });
    expect(err).toContain("has no key");
  });
});

describe("auth status", () => {
  test("shows where the key is stored and its last four characters, and checks the key with the service", async () => {
    const cli = await createCli({ respond: always(200, {}) });
    await cli.run(login("work"), { stdin: key });
    const { out, requests } = await cli.run("auth status");
    expect(requests.map(({ path }) => path)).toEqual([
      "/v2/on-demand/active-rental-summary",
      "/v2/openapi.json",
    ]);
    expect(out).toMatchInlineSnapshot(`
      "profile:           work
      sandbox:           false
      baseUrl:           https://api.example.com
      inferenceBaseUrl:  https://api.example.com
      key:               …1234
      source:            profile "work"
      accepted:          true
      canWrite:          -
      "
    `);
    const env = await cli.run("auth status -o json", { env: { GPUCTL_API_KEY: "another-key-9876" } });
    expect(JSON.parse(env.out)).toMatchObject({ key: "…9876", source: "GPUCTL_API_KEY", accepted: true });
  });

  test.each([
    ["full", true],
    ["readOnly", false],
  ] as const)("says whether the key can write: %s", async (name, canWrite) => {
    const { run, sandbox } = await createCli();
    const { out, err } = await run(
      "auth status -o json",
      overNetwork({ GPUCTL_API_KEY: sandbox.keys[name] }),
    );
    expect(JSON.parse(out)).toMatchObject({ accepted: true, canWrite });
    expect(err).toBe("");
  });

  test.each(["--sandbox", `--base-url ${serviceUrl}`])(
    "ignores a line ending after the key in GPUCTL_API_KEY: %s",
    async (flags) => {
      const { run, sandbox } = await createCli();
      const env = { GPUCTL_API_KEY: `${sandbox.keys.readOnly}\r` };
      const { out } = await run(`auth status -o json ${flags}`, { env });
      expect(JSON.parse(out)).toMatchObject({ key: "…only", source: "GPUCTL_API_KEY", canWrite: false });
    },
  );

  test("says that the key can read, and that it is not known whether the key can write", async () => {
    const { run, sandbox } = await createCli({ only: "documented" });
    const { out, err } = await run("auth status", overNetwork({ GPUCTL_API_KEY: sandbox.keys.full }));
    expect(out).toMatch(/^accepted: +true\ncanWrite: +-$/m);
    expect(err).toBe("The key can read. Whether it can also write is not known.\n");
  });

  test("shows the sandbox's own key with --sandbox", async () => {
    const { run } = await createCli();
    expect(JSON.parse((await run("auth status -o json --sandbox")).out)).toMatchObject({
      sandbox: true,
      baseUrl: null,
      source: "the sandbox's own key",
      accepted: true,
    });
  });

  test("uses the key in GPUCTL_API_KEY with --sandbox only if it is a key of the sandbox", async () => {
    const { run, sandbox } = await createCli();
    const env = { GPUCTL_API_KEY: sandbox.keys.readOnly };
    const { out, requests } = await run("auth status -o json --sandbox", { env });
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${sandbox.keys.readOnly}`);
    expect(JSON.parse(out)).toMatchObject({ key: "…only", source: "GPUCTL_API_KEY" });
    const other = await run("auth status -o json --sandbox", { env: { GPUCTL_API_KEY: key } });
    expect(JSON.parse(other.out)).toMatchObject({ key: "…full", source: "the sandbox's own key" });
  });

  test("exits with 3 if the service rejects the key or there is no key", async () => {
    const { run } = await createCli({ respond: always(401, {}) });
    const env = { GPUCTL_BASE_URL: serviceUrl };
    expect(await run("auth status", { env: { ...env, GPUCTL_API_KEY: key } })).toMatchObject({
      code: 3,
      out: "",
    });
    expect(await run("auth status", { env })).toMatchObject({ code: 3, out: "", requests: [] });
  });
});

describe("an invalid configuration file", () => {
  test.each(["{ not json", "[]", '"text"', '{"profiles": 5}', '{"profiles": {"default": {"baseUrl": 5}}}'])(
    "with %s is reported and not changed",
    async (text) => {
      const cli = await createCli();
      await mkdir(join(cli.folder, "config"));
      await writeFile(configOf(cli), text);
      for (const line of [login(), "auth logout", "volumes list"]) {
        const { code, err } = await cli.run(line, { stdin: key });
        expect({ line, code }).toEqual({ line, code: 2 });
        expect(err).toContain("config.json");
        expect(await readFile(configOf(cli), "utf8")).toBe(text);
      }
    },
  );
});

describe("auth token", () => {
  test("prints the key in use and nothing else", async () => {
    const cli = await createCli();
    await cli.run(login(), { stdin: key });
    expect(await cli.run("auth token")).toMatchObject({ code: 0, out: `${key}\n`, err: "", requests: [] });
    expect((await cli.run("auth token", { terminal: 80 })).out).toBe(`${key}\n`);
    expect((await cli.run("auth token", { env: { GPUCTL_API_KEY: "other" } })).out).toBe("other\n");
    expect((await cli.run("auth token --sandbox")).out).toBe(`${cli.sandbox.keys.full}\n`);
    const programs = { output: async () => "printed\n" };
    await cli.run("auth login --key-command print --no-validate", { programs });
    expect((await cli.run("auth token", { programs })).out).toBe("printed\n");
  });

  test("exits with 3 if there is no key", async () => {
    const { run } = await createCli();
    expect(await run("auth token")).toMatchObject({ code: 3, out: "" });
    expect(await run("auth token", { env: { GPUCTL_API_KEY: " " } })).toMatchObject({ code: 3, out: "" });
  });
});

test.each([401, 403])("after a response of %i, auth status says which key was used", async (status) => {
  const { run } = await createCli({ respond: always(status, {}) });
  const env = { GPUCTL_BASE_URL: serviceUrl, GPUCTL_API_KEY: key };
  const { err, out } = await run("auth status", { env });
  expect(err).toContain("The key was …1234, from GPUCTL_API_KEY.");
  expect(out + err).not.toContain(key);
});
