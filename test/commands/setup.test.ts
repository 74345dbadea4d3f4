import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Interrupted } from "../../src/core/errors.ts";
import { ConnectionFailed } from "../../src/core/service-errors.ts";
import { nodePrograms } from "../../src/system/programs.ts";
import type { Programs, Prompts } from "../../src/system/types.ts";
import { createCli, type Responder, type RunOptions } from "../support/cli.ts";
import { needs } from "../support/programs.ts";
import { key, serviceUrl } from "../support/service.ts";

/** Answers by the first words of a question, in the order of use. A question without an answer gets its default. */
type Answers = Readonly<Record<string, readonly (string | boolean | Error)[]>>;

function promptsWith(answers: Answers) {
  const asked: { message: string; initial?: unknown; choices?: readonly string[] }[] = [];
  const reported: string[] = [];
  const remaining = Object.entries(answers).map(([start, given]) => ({ start, given: [...given] }));
  const answer = (question: (typeof asked)[number]): unknown => {
    asked.push(question);
    if (asked.length > 100) throw new Error(`asked too often: ${question.message}`);
    const next = remaining.find(({ start }) => question.message.startsWith(start))?.given.shift();
    if (next instanceof Error) throw next;
    return next ?? question.initial;
  };
  const prompts: Prompts = {
    text: async (question) => {
      const text = String(answer(question) ?? "");
      expect(question.validate?.(text), question.message).toBeUndefined();
      return text;
    },
    secret: async (question) => String(answer(question) ?? ""),
    choose: async (question) => {
      const text = String(answer(question) ?? question.choices[0]);
      expect(question.choices, question.message).toContain(text);
      return text;
    },
    confirm: async (question) => answer(question) === true,
    report: (outcome, text) => reported.push(`${outcome}: ${text}`),
  };
  return { asked, reported, prompts };
}

const description: Responder = ({ path }) =>
  path === "/v2/openapi.json" ? Response.json({ openapi: "3.1.0", paths: {} }) : undefined;

/** A service that accepts only `key`. */
const service: Responder = (request) =>
  description(request) ??
  (request.headers.authorization === `Bearer ${key}`
    ? Response.json({})
    : Response.json({ code: "UNAUTHORIZED", message: "no" }, { status: 401 }));

const account: Answers = { "Where is": ["account"], "Base URL": [serviceUrl], "API key": ["typed", key] };

async function setUp(respond: Responder = service) {
  const cli = await createCli({ respond });
  const run = async (answers: Answers, options: RunOptions = {}, line = "setup") => {
    const { asked, reported, prompts } = promptsWith(answers);
    const outcome = await cli.run(line, { terminal: 100, prompts, ...options });
    return { ...outcome, asked, reported, questions: asked.map(({ message }) => message) };
  };
  const savedConfig = async () =>
    JSON.parse(await readFile(join(cli.folder, "config", "config.json"), "utf8").catch(() => "null"));
  return { ...cli, run, savedConfig };
}

describe("setup", () => {
  test("prompts for the service and the key, checks both, and saves a profile", async () => {
    const { run, savedConfig } = await setUp();
    const { code, out, err, requests, questions } = await run({
      ...account,
      "Region of": ["eu-north-4"],
      "Image model": ["SDXL-turbo"],
      "Chat model": ["llama"],
    });
    expect({ code, error: code === 0 ? "" : err }).toEqual({ code: 0, error: "" });
    expect(questions).toEqual([
      "Name of the profile",
      "Where is the service?",
      "Base URL",
      "Inference URL",
      "API key source",
      "API key",
      "Region of new rentals when none is given",
      "GPU model of new rentals when none is given",
      "Image model when none is given",
      'Chat model when none is given (type "-" for no default)',
    ]);
    expect(requests.map(({ path }) => path)).toEqual([
      "/v2/openapi.json",
      "/v2/on-demand/active-rental-summary",
      "/v2/openapi.json",
      "/v2/openapi.json",
    ]);
    expect(requests[0]?.headers).not.toHaveProperty("authorization");
    expect(await savedConfig()).toEqual({
      version: 1,
      profile: "default",
      profiles: {
        default: {
          baseUrl: serviceUrl,
          apiKey: key,
          rentals: { region: "eu-north-4" },
          image: { model: "SDXL-turbo" },
          chat: { model: "llama" },
        },
      },
    });
    expect(out + err).not.toContain(key);
    expect(err).toMatch(/^Welcome to gpuctl\..*\n.*Ctrl-C/);
    expect(err).toContain("gpuctl auth status");
  });

  test("for the sandbox needs no service and sends no request", async () => {
    const { run, savedConfig, run: again } = await setUp();
    const { code, requests, err } = await run({ "Name of": ["play"], "Where is": ["sandbox"] });
    expect({ code, requests }).toEqual({ code: 0, requests: [] });
    expect(err).toContain("gpuctl rentals create vm --gpus 1");
    expect(await savedConfig()).toEqual({
      version: 1,
      profile: "play",
      profiles: { play: { sandbox: true } },
    });
    expect((await again({})).code).toBe(0);
  });

  test("offers the chat models that the service lists", async () => {
    const paths = { "/v1/models": { get: { operationId: "listModels" } } };
    const { run, savedConfig } = await setUp((request) => {
      if (request.path === "/v2/openapi.json") return Response.json({ openapi: "3.1.0", paths });
      if (request.path === "/v1/models")
        return Response.json({ data: [{ id: "llama" }, { id: "qwen" }, { id: "\u001b[2J" }, {}] });
      return service(request);
    });
    const { asked, requests } = await run({ ...account, "Chat model": ["qwen"] });
    const question = asked.find(({ message }) => message.startsWith("Chat model"));
    expect(question).toEqual(
      expect.objectContaining({ message: "Chat model when none is given", choices: ["-", "llama", "qwen"] }),
    );
    const listing = requests.find(({ path }) => path === "/v1/models");
    expect(listing?.headers).toMatchObject({ authorization: `Bearer ${key}` });
    expect((await savedConfig()).profiles.default.chat).toEqual({ model: "qwen" });
  });

  test("shows the current values if it is run again, and changes only the values that the user enters", async () => {
    const { run, savedConfig } = await setUp();
    await run({ ...account, "Image model": ["SD2"] });
    const before = await savedConfig();
    const { asked, code } = await run({ "API key": ["kept"] });
    expect(code).toBe(0);
    expect(await savedConfig()).toEqual(before);
    const offered = (start: string) => asked.find(({ message }) => message.startsWith(start))?.initial;
    expect(offered("Base URL")).toBe(serviceUrl);
    expect(offered("Image model")).toBe("SD2");
    await run({ "API key": ["kept"], "Image model": ["-"] });
    expect((await savedConfig()).profiles.default).toEqual({ baseUrl: serviceUrl, apiKey: key });
  });

  test("does not send a saved key to another host, but prompts for the key again", async () => {
    const { run, savedConfig } = await setUp();
    await run({ ...account });
    const moved = "https://moved.example";
    const stopped = await run({ "Base URL": [moved], "API key": [new Interrupted()] });
    expect(stopped.code).toBe(130);
    expect((await savedConfig()).profiles.default).toEqual({ baseUrl: serviceUrl, apiKey: key });
    const { asked, code } = await run({ "Base URL": [moved], "API key": ["typed", key] });
    expect(code).toBe(0);
    expect(asked.find(({ message }) => message === "API key source")?.choices).toEqual(["typed", "printed"]);
    expect((await savedConfig()).profiles.default).toEqual({ baseUrl: moved, apiKey: key });
  });

  test("can save a command that prints the key", async () => {
    const { run, savedConfig } = await setUp();
    const programs = { output: async () => `${key}\n` };
    const answers = { ...account, "API key": ["printed"], "Command line": ["pass show gpuctl"] };
    expect(await run(answers, { programs })).toMatchObject({ code: 0 });
    expect((await savedConfig()).profiles.default).toEqual({
      baseUrl: serviceUrl,
      apiKeyCommand: "pass show gpuctl",
    });
  });

  test("saves the values entered before Ctrl-C, says so, and keeps them when it is run again", async () => {
    const { run, savedConfig } = await setUp();
    const { code, err, out } = await run({ ...account, "API key": ["typed", new Interrupted()] });
    expect({ code, out }).toEqual({ code: 130, out: "" });
    expect(err).toContain('Saved in profile "default": base URL, inference URL.');
    expect((await savedConfig()).profiles.default).toEqual({ baseUrl: serviceUrl });
    expect((await run({ "API key": ["typed", key] })).code).toBe(0);
    expect((await savedConfig()).profiles.default).toEqual({ baseUrl: serviceUrl, apiKey: key });
  });

  test("saves nothing after Ctrl-C at the first prompt", async () => {
    const { run, savedConfig } = await setUp();
    expect(await run({ "Where is": [new Interrupted()] })).toMatchObject({ code: 130 });
    expect(await savedConfig()).toBeNull();
  });

  test.each([{}, { env: { CI: "1" } }])(
    "without a terminal is an error that names the commands to use instead (%j)",
    async (options) => {
      const { run } = await createCli();
      const { code, err } = await run("setup", options);
      expect(code).toBe(2);
      for (const command of ["auth login", "profile add", "config set"])
        expect(err).toContain(`gpuctl ${command}`);
    },
  );

  test("can make another profile the current one", async () => {
    const { run, savedConfig } = await setUp();
    await run({ "Where is": ["sandbox"] });
    await run({ "Where is": ["sandbox"], "Use the profile": [true] }, {}, "setup --profile play");
    expect((await savedConfig()).profile).toBe("play");
  });
});

describe("a check in setup", () => {
  const failing = (code: string, message: string): Responder => {
    return ({ path }) => {
      if (path === "/v2/openapi.json") throw new ConnectionFailed(message, { code, sent: false });
      return undefined;
    };
  };

  test.each<[string, Responder, string]>([
    ["no such host", failing("ENOTFOUND", "no such host"), "Is the URL right?"],
    ["nothing listens", failing("ECONNREFUSED", "connection refused"), "connection refused"],
    ["an untrusted certificate", failing("SELF_SIGNED_CERT_IN_CHAIN", "self-signed"), "NODE_EXTRA_CA_CERTS"],
    ["404", () => Response.json({}, { status: 404 }), "this is not the service"],
    ["a web page", () => new Response("<html>Welcome</html>"), "this is not the service"],
    ["other JSON", () => Response.json({ hello: "system" }), "did not return an OpenAPI description"],
    ["500", () => Response.json({ message: "broken" }, { status: 500 }), "returned 500: broken"],
  ])("says why it failed, and offers to change the value: %s", async (_name, respond, expected) => {
    const { run, savedConfig } = await setUp(respond);
    const { code, err, asked, reported } = await run({ "Base URL": [serviceUrl], "What now?": ["stop"] });
    expect(code).toBe(130);
    expect(err).toContain("setup was stopped");
    const what = asked.at(-1);
    expect(reported.at(-1)).toMatch(/^failure: /);
    expect(reported.at(-1)).toContain(expected);
    expect(what?.choices).toEqual(["again", "change", "keep", "stop"]);
    expect(await savedConfig()).toBeNull();
  });

  test("names the variable of the proxy, but not its value", async () => {
    const { run } = await setUp(failing("EPROXY", "the proxy answered 407"));
    const env = { HTTPS_PROXY: "http://ada:secret@proxy.example:3128" };
    const answers = { "Base URL": [serviceUrl], "What now?": ["stop"] };
    const { asked, reported, out, err } = await run(answers, { env });
    expect(reported.at(-1)).toContain("the proxy in HTTPS_PROXY");
    expect(JSON.stringify([asked, reported]) + out + err).not.toContain("secret");
  });

  test("warns about plain http", async () => {
    const { run, savedConfig } = await setUp();
    const answers = { "Base URL": ["http://plain.example"], "What now?": ["stop"] };
    const { reported, requests } = await run(answers);
    expect(reported.at(-1)).toContain("plain http");
    expect(requests).toEqual([]);
    expect(await savedConfig()).toBeNull();
  });

  test("that fails can be repeated, its value can be changed, or the value can be saved anyway", async () => {
    let tries = 0;
    const { run, savedConfig } = await setUp((request) => {
      if (request.path !== "/v2/openapi.json") return service(request);
      tries += 1;
      return tries < 3 ? Response.json({}, { status: 503 }) : Response.json({}, { status: 404 });
    });
    const wrong = "https://wrong.example";
    const answers = {
      ...account,
      "Base URL": [wrong, serviceUrl],
      "What now?": ["again", "change", "keep"],
    };
    const { code, questions } = await run(answers);
    expect(code).toBe(0);
    expect(questions.filter((question) => question === "Base URL")).toHaveLength(2);
    expect((await savedConfig()).profiles.default.baseUrl).toBe(serviceUrl);
  });

  test("of the key prompts for another key if the service rejects the first", async () => {
    const { run, savedConfig } = await setUp();
    const answers = { ...account, "API key": ["typed", "wrong-key", "typed", key] };
    const { code, reported } = await run({ ...answers, "What now?": ["change"] });
    expect(code).toBe(0);
    expect(reported).toContain("failure: The service does not accept the key.");
    expect((await savedConfig()).profiles.default.apiKey).toBe(key);
  });

  test.each(["summary", "api-keys"])("of the key saves no key if Ctrl-C ends the check: %s", async (part) => {
    const stop = new AbortController();
    const cli = await createCli({
      respond: ({ path, headers }) => {
        if (!path.includes(part) || headers.authorization === undefined) return undefined;
        stop.abort(new Interrupted());
        throw new ConnectionFailed("aborted", { code: "ABORTED", sent: true });
      },
    });
    const { prompts } = promptsWith({ ...account, "API key": ["typed", cli.sandbox.keys.full] });
    const { code } = await cli.run("setup", { terminal: 100, prompts, signal: stop.signal });
    expect(code).toBe(130);
    const config = await readFile(join(cli.folder, "config", "config.json"), "utf8").catch(() => "");
    expect(config).not.toContain("apiKey");
  });

  test("of the key reports a key that cannot read rentals", async () => {
    const { run, savedConfig } = await setUp(
      (request) => description(request) ?? Response.json({}, { status: 403 }),
    );
    const { code, reported } = await run({ ...account, "What now?": ["keep"] });
    expect(code).toBe(0);
    expect(reported.join()).toContain("not allowed to list rentals");
    expect((await savedConfig()).profiles.default.apiKey).toBe(key);
  });

  test("of the key reports a read-only key", async () => {
    const cli = await createCli();
    const answers = { ...account, "API key": ["typed", cli.sandbox.keys.readOnly] };
    const { prompts, reported } = promptsWith(answers);
    expect(await cli.run("setup", { terminal: 100, prompts })).toMatchObject({ code: 0 });
    expect(reported).toContain(
      "success: The service accepts the key, but it is read-only: it cannot create, change or terminate anything.",
    );
  });

  test("of the inference URL succeeds if the host responds, and the URL is saved", async () => {
    const inference = "https://inference.example";
    const { run, savedConfig } = await setUp();
    expect((await run({ ...account, "Inference URL": [inference] })).code).toBe(0);
    expect((await savedConfig()).profiles.default.inferenceBaseUrl).toBe(inference);
  });
});

describe("shell completions in setup", () => {
  const places: readonly [string, string, Record<string, string>][] = [
    ["/bin/bash", ".local/share/bash-completion/completions/gpuctl", {}],
    ["/usr/bin/fish", ".config/fish/completions/gpuctl.fish", {}],
    ["/usr/bin/zsh", ".zfunc/_gpuctl", {}],
    ["/bin/bash", "data/bash-completion/completions/gpuctl", { XDG_DATA_HOME: "data" }],
    ["/usr/bin/pwsh", ".config/powershell/gpuctl.ps1", {}],
  ];

  test.each(places)("for %s are written to %s after a prompt", async (SHELL, place, more) => {
    const { run, folder } = await setUp();
    const own = Object.fromEntries(Object.entries(more).map(([name, path]) => [name, join(folder, path)]));
    const env = { SHELL, HOME: folder, ...own };
    const sandbox = { "Where is": ["sandbox"] };
    await run({ ...sandbox, "Write the": [false] }, { env });
    await expect(readFile(join(folder, place))).rejects.toThrow("ENOENT");
    const { code, err } = await run({ ...sandbox, "Write the": [true] }, { env });
    expect(code).toBe(0);
    expect(await readFile(join(folder, place), "utf8")).toContain("gpuctl");
    expect(err).toContain(join(folder, place));
    expect((await run(sandbox, { env })).questions.join()).not.toContain("completions");
  });

  test.each([
    ["/bin/bash", ".local/share/bash-completion/completions/gpuctl"],
    ["/usr/bin/fish", ".config/fish/completions/gpuctl.fish"],
    ["/usr/bin/pwsh", ".config/powershell/gpuctl.ps1"],
  ])("for %s are written to %s if XDG variables are relative paths", async (SHELL, place) => {
    const { run, folder } = await setUp();
    const env = { SHELL, HOME: folder, XDG_CONFIG_HOME: "xdg", XDG_DATA_HOME: "xdg" };
    const { code } = await run({ "Where is": ["sandbox"], "Write the": [true] }, { env });
    expect(code).toBe(0);
    expect(await readFile(join(folder, place), "utf8")).toContain("gpuctl");
  });

  test("are loaded by a line that setup adds to the startup file only if the shell needs it and the user agrees", async () => {
    const { run, folder } = await setUp();
    const env = { SHELL: "/bin/bash", HOME: folder };
    const startup = () => readFile(join(folder, ".bashrc"), "utf8");
    await writeFile(join(folder, ".bashrc"), "alias g=gpuctl");
    const sandbox = { "Where is": ["sandbox"] };
    const programs = { capture: async () => "complete -F _gpuctl gpuctl" };
    await run(sandbox, { env, programs });
    expect(await startup()).toBe("alias g=gpuctl");
    const declined = await run({ ...sandbox, "Add the line": [false] }, { env });
    expect(declined.err).toContain(`bash needs this line in ${join(folder, ".bashrc")}:\n  [ -f`);
    expect(await startup()).toBe("alias g=gpuctl");
    await run({ ...sandbox, "Add the line": [true] }, { env });
    const path = join(folder, ".local/share/bash-completion/completions/gpuctl");
    const added = `alias g=gpuctl\n# Completions for gpuctl\n[ -f '${path}' ] && . '${path}'\n`;
    expect(await startup()).toBe(added);
    expect((await run(sandbox, { env })).questions.join()).not.toContain(".bashrc");
    expect(await startup()).toBe(added);
  });

  test.each([
    [[], ".bash_profile"],
    [[".profile"], ".profile"],
    [[".profile", ".bash_login"], ".bash_login"],
    [[".profile", ".bash_profile"], ".bash_profile"],
  ])("are loaded by the file that a login bash reads on macOS: with %j, %s", async (present, wanted) => {
    const { run, folder } = await setUp();
    for (const name of present) await writeFile(join(folder, name), "");
    const asked: (readonly string[])[] = [];
    const capture: Programs["capture"] = async (_program, args) => {
      asked.push(args);
      return undefined;
    };
    const { err } = await run(
      { "Where is": ["sandbox"], "Write the": [true], "Add the line": [true] },
      { env: { SHELL: "/bin/bash", HOME: folder }, machine: { platform: "darwin" }, programs: { capture } },
    );
    expect(err).toContain(`in ${join(folder, wanted)}`);
    const files = await readdir(folder);
    expect(files.filter((name) => /^\.(bash_|profile)/.test(name)).toSorted()).toEqual(
      [...new Set([...present, wanted])].toSorted(),
    );
    expect(await readFile(join(folder, wanted), "utf8")).toContain("# Completions for gpuctl");
    for (const [first] of asked) expect(first).toBe("-l");
  });

  describe.each(["bash", "zsh", "fish"])("with a real %s", (shell) => {
    needs(shell);

    test("are loaded after setup, and doctor reports them as ok", async () => {
      const { run, folder } = await setUp();
      await mkdir(join(folder, "bin"));
      await writeFile(join(folder, "bin", "gpuctl"), "#!/bin/sh\n", { mode: 0o755 });
      const programs = nodePrograms({
        leaveToChild: async (_forward, work) => work,
        signal: new AbortController().signal,
      });
      const program = (await programs.which(shell)) ?? "";
      const { PATH } = process.env;
      const environment = [`HOME=${folder}`, `PATH=${folder}/bin:${PATH}`, `SHELL=${program}`];
      const capture: Programs["capture"] = (name, args, options) =>
        programs.capture("env", ["-i", ...environment, name, ...args], { timeout: options.timeout * 20 });
      const options = { env: { SHELL: program, HOME: folder }, programs: { capture } };
      const check = async () => {
        const { out } = await run({}, options, "doctor --sandbox -o jsonl");
        const found = out.split("\n").find((line) => line.includes('"completions"')) ?? "{}";
        return JSON.parse(found).status;
      };
      expect(await check()).toBe("warning");
      const { err } = await run({ "Where is": ["sandbox"] }, options);
      expect(err).toContain("Completions are installed in");
      expect(await check()).toBe("ok");
    });
  });

  test("for zsh are written to a folder of the user that is already in fpath", async () => {
    const { run, folder } = await setUp();
    await mkdir(join(folder, "functions"));
    const programs = { capture: async () => `/usr/share/zsh\n${folder}/functions\n` };
    const env = { SHELL: "/bin/zsh", HOME: folder };
    await run({ "Where is": ["sandbox"], "Write the": [true] }, { env, programs });
    expect(await readFile(join(folder, "functions", "_gpuctl"), "utf8")).toContain("#compdef gpuctl");
  });

  test.each([{ SHELL: "/bin/ksh" }, {}])("are not offered for an unknown shell (%j)", async (env) => {
    const { run, folder } = await setUp();
    const { questions } = await run({ "Where is": ["sandbox"] }, { env: { HOME: folder, ...env } });
    expect(questions.join()).not.toContain("completions");
  });

  test("end setup with 130 if the user presses Ctrl-C at their prompt", async () => {
    const { prompts } = promptsWith({ "Where is": ["sandbox"] });
    const confirm: Prompts["confirm"] = async ({ message, initial = false }) => {
      if (message.startsWith("Write the")) throw new Interrupted();
      return initial;
    };
    const cli = await createCli();
    const { code, err } = await cli.run("setup", {
      terminal: 100,
      prompts: { ...prompts, confirm },
      env: { SHELL: "/bin/bash", HOME: cli.folder },
    });
    expect(code, err).toBe(130);
  });

  test("do not make setup fail if they cannot be written", async () => {
    const { run, savedConfig } = await setUp();
    const env = { SHELL: "/bin/bash", HOME: "/dev/null" };
    const { code, reported } = await run({ "Where is": ["sandbox"], "Write the": [true] }, { env });
    expect(code).toBe(0);
    expect(reported.join()).toContain("failure: The completions could not be set up");
    expect((await savedConfig()).profiles.default).toEqual({ sandbox: true });
  });
});
