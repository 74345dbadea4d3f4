import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createTransport } from "../../src/client/transport/transport.ts";
import { createKeyring } from "../../src/config/credentials.ts";
import { Interrupted, ProgramFailed, Unavailable } from "../../src/core/errors.ts";
import { listen } from "../client/server.ts";
import { createCli, type Responder, type RunOptions } from "../support/cli.ts";
import { always, serviceUrl } from "../support/service.ts";

const key = "printed-key-4321";

const emptyService: Responder = ({ path }) =>
  Response.json(path.endsWith("/openapi.json") ? { openapi: "3.1.0", paths: {} } : []);

const minute = 60_000;

async function withCommand(printed: () => string, respond = emptyService) {
  const cli = await createCli({ respond });
  const ran: string[] = [];
  const programs: RunOptions["programs"] = {
    output: async (line) => {
      ran.push(line);
      return printed();
    },
  };
  await cli.run(`auth login --profile work --key-command 'pass show gpuctl' --base-url ${serviceUrl}`);
  const run = (line: string, options: RunOptions = {}) => cli.run(line, { ...options, programs });
  return { ...cli, run, ran };
}

describe("a program that prints the key", () => {
  test("runs once, however many requests are sent", async () => {
    const { run, ran } = await withCommand(() => `${key}\n`);
    const { code, requests, out, err } = await run("rentals list --debug");
    expect(code).toBe(0);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
    expect(ran).toEqual(["pass show gpuctl"]);
    expect(out + err).not.toContain(key);
  });

  describe("while gpuctl keeps running", () => {
    afterEach(() => vi.restoreAllMocks());

    /** Watches rentals for three steps of `minutes`. Returns the distinct keys sent, and how often the program ran. */
    async function keysOf(printed: readonly (string | undefined)[], minutes: number) {
      const left = [...printed];
      const { run, ran } = await withCommand(() => {
        const next = left.shift();
        if (next === undefined) throw new ProgramFailed("locked");
        return next;
      });
      const stop = new AbortController();
      let now = 0;
      let steps = 0;
      vi.spyOn(performance, "now").mockImplementation(() => now);
      const onSleep = () => {
        now += minutes * minute;
        steps += 1;
        if (steps === 3) stop.abort(new Interrupted());
      };
      const { out, err, requests } = await run("rentals list --watch --debug", {
        terminal: 80,
        onSleep,
        signal: stop.signal,
      });
      for (const one of printed) if (one !== undefined) expect(out + err).not.toContain(one);
      const sent = requests.flatMap(({ path, headers }) =>
        path.endsWith("/openapi.json") ? [] : headers.authorization?.replace("Bearer ", ""),
      );
      return { sent: [...new Set(sent)], ran: ran.length };
    }

    test("runs again when its key is older than five minutes", async () => {
      const keys = ["first-key-1111", "second-key-2222", "third-key-3333"];
      expect(await keysOf(keys, 6)).toMatchObject({ sent: keys });
      expect(await keysOf(keys, 1)).toMatchObject({ sent: keys.slice(0, 1), ran: 1 });
    });

    test.each(["in one process", "over shared connections"])(
      "runs again during a batch, but not for each line (%s)",
      async (way) => {
        const printed = ["first-key-1111", "second-key-2222", "third-key-3333"];
        const left = [...printed];
        const completion = { choices: [{ message: { content: "Hi" }, finish_reason: "stop" }] };
        let now = 0;
        vi.spyOn(performance, "now").mockImplementation(() => now);
        const sent: unknown[] = [];
        const seen = (authorization: unknown) => {
          sent.push(authorization);
          if (sent.length % 2 === 0) now += 6 * minute;
        };
        const server = await listen((request, response) => {
          seen(request.headers.authorization);
          response.end(JSON.stringify(completion));
        });
        const { run, folder } = await createCli({
          respond: ({ headers }) => {
            seen(headers.authorization);
            return Response.json(completion);
          },
          ...(way !== "in one process" && { transport: createTransport() }),
        });
        const lines = Array.from({ length: 6 }, (_, index) =>
          JSON.stringify({
            custom_id: `${index}`,
            method: "POST",
            url: "/v1/chat/completions",
            body: { model: "llama", messages: [{ role: "user", content: "Hello" }] },
          }),
        );
        await writeFile(join(folder, "in.jsonl"), lines.join("\n"));
        await run(`auth login --key-command 'pass show gpuctl' --base-url ${server.origin}`);
        const programs = { output: async () => left.shift() ?? "asked-too-often" };
        const { code } = await run("batch run in.jsonl --out out.jsonl --concurrency 1", { programs });
        expect(code).toBe(0);
        expect(sent).toEqual(printed.flatMap((one) => [`Bearer ${one}`, `Bearer ${one}`]));
      },
    );

    test("runs again after it failed", async () => {
      const printed = [undefined, key];
      const keyring = createKeyring({
        settings: {
          key: { source: "the profile", from: { command: "pass show gpuctl" }, hosts: undefined },
          sandbox: false,
          dryRun: false,
          baseUrl: serviceUrl,
          inferenceBaseUrl: undefined,
          insecureHttp: false,
        },
        output: async () => {
          const next = printed.shift();
          if (next === undefined) throw new ProgramFailed("locked");
          return next;
        },
        sandbox: () => Promise.reject(new Error("not used")),
      });
      await expect(keyring.inUse()).rejects.toThrow("locked");
      expect(await keyring.inUse()).toMatchObject({ key });
    });

    test("may fail when it runs again: the earlier key is sent again", async () => {
      const keys = ["first-key-1111", undefined, "third-key-3333"];
      expect(await keysOf(keys, 6)).toMatchObject({ sent: ["first-key-1111", "third-key-3333"] });
    });
  });

  test.each([
    "volumes list --dry-run",
    "volumes list --help",
    "volumes list --sandbox",
    "api spec",
    "profile list",
    "profile show",
    "config list",
    "config get apiKeyCommand",
    "auth logout --dry-run",
  ])("does not run for %s", async (line) => {
    const { run, ran } = await withCommand(() => key);
    expect(await run(line)).toMatchObject({ code: 0 });
    expect(ran).toEqual([]);
  });

  test.each([
    ['printf %s "$(security find-generic-password -s gpuctl -w)"', "security"],
    ["echo $(cat production.key)", "production"],
    ["echo `pass show gpuctl/production`", "production"],
    ["printf '%s' | cat production", "production"],
    ["printf '%s' \"$PRODUCTION\" && true production", "production"],
  ])("does not make ordinary words of its command line secret: %s", async (command, word) => {
    const { run } = await createCli();
    await run(["profile", "add", "work", "--base-url", serviceUrl, "--key-command", command]);
    await run(`rentals create vm --gpus 1 --label ${word} --sandbox --yes`);
    const again = await run(`rentals create vm --gpus 1 --label ${word} --if-absent --sandbox --yes -o id`);
    expect(again).toMatchObject({ code: 0, out: "1001\n" });
    expect((await run("config get apiKeyCommand --profile work")).out).toContain(word);
  });

  test.each([
    "echo secret-word-1234",
    "printf '%s' 'ab;cd secret-word-1234'",
    'echo "$HOME secret-word-1234 $(true)"',
    "echo it\\'s-a-secret-word-1234",
    "echo ab\\&secret-word-1234",
  ])("is shown without what it prints: %s", async (command) => {
    const { run } = await createCli();
    const words = ["profile", "add", "work", "--base-url", serviceUrl, "--key-command", command];
    await run(words);
    expect((await run("config get apiKeyCommand --profile work")).out).not.toContain("secret-word");
  });

  test("does not run when the environment has a key", async () => {
    const { run, ran } = await withCommand(() => key);
    const { requests } = await run("volumes list", { env: { GPUCTL_API_KEY: "from-the-environment" } });
    expect(requests[0]?.headers.authorization).toBe("Bearer from-the-environment");
    expect(ran).toEqual([]);
  });

  test("does not run for a request to another host", async () => {
    const { run, ran } = await withCommand(() => key);
    expect(await run("volumes list --base-url https://other.example")).toMatchObject({ code: 3 });
    expect(ran).toEqual([]);
  });

  test("can print several lines: the first line with text is the key", async () => {
    const { run } = await withCommand(() => `\n${key}\r\nlogin: ada\n`);
    const { requests } = await run("volumes list");
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  });

  test.each<[string, () => string, string]>([
    ["prints nothing", () => " \n", '"pass show gpuctl" printed nothing'],
    [
      "prints a sentence",
      () => "no such entry",
      'the text that "pass show gpuctl" printed has spaces, or characters that an HTTP header cannot contain',
    ],
    [
      "fails",
      () => {
        throw new ProgramFailed('"pass show gpuctl" exited with status 1');
      },
      "exited with status 1",
    ],
    [
      "is not installed",
      () => {
        throw new Unavailable("pass cannot be started (ENOENT)", "Install it.");
      },
      "pass cannot be started",
    ],
  ])("is reported if it %s, and nothing is sent", async (_name, printed, expected) => {
    const { run } = await withCommand(printed);
    const { code, out, err, requests } = await run("volumes list");
    expect({ code, out, requests }).toEqual({ code: 3, out: "", requests: [] });
    expect(err).toContain('could not get a key from apiKeyCommand of profile "work": ');
    expect(err).toContain(expected);
    expect(err).not.toContain("no such entry");
  });

  test("is shown by auth status, with the last characters of the key", async () => {
    const { run } = await withCommand(() => key, always(200, { count: 0 }));
    const { out } = await run("auth status -o json");
    expect(JSON.parse(out)).toMatchObject({
      key: "…4321",
      source: 'apiKeyCommand of profile "work"',
    });
  });

  test("replaces a stored key, and is replaced by a new stored key", async () => {
    const { run, folder } = await withCommand(() => key);
    const savedProfile = async () =>
      JSON.parse(await readFile(join(folder, "config", "config.json"), "utf8")).profiles.work;
    expect(await savedProfile()).toEqual({ apiKeyCommand: "pass show gpuctl", baseUrl: serviceUrl });
    await run("auth login --with-token --no-validate", { stdin: "stored-key-0000" });
    expect(await savedProfile()).toEqual({ apiKey: "stored-key-0000", baseUrl: serviceUrl });
    await run("auth login --key-command 'op read op://x' --no-validate");
    expect(await savedProfile()).toEqual({ apiKeyCommand: "op read op://x", baseUrl: serviceUrl });
    expect(JSON.parse((await run("auth logout -o json")).out)).toMatchObject({ forgotten: true });
    expect(await savedProfile()).toEqual({ baseUrl: serviceUrl });
  });

  test("cannot be combined with a key from stdin", async () => {
    const { run } = await createCli();
    const { code } = await run("auth login --with-token --key-command x", { stdin: key });
    expect(code).toBe(2);
  });
});
