import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli, type Responder } from "../support/cli.ts";
import { declared } from "../support/commands.ts";
import { fc, runs } from "../support/property.ts";
import { always, key, overNetwork } from "../support/service.ts";
import { everyNth, sample } from "../support/thorough.ts";

const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
const upperHex = (character: string) => hex(character).toUpperCase();

/** Ways to write one character of a key. */
const spellings: readonly ((character: string) => string)[] = [
  (one) => one,
  (one) => `\\u00${hex(one)}`,
  (one) => `\\u00${upperHex(one)}`,
  (one) => `\\\\u00${hex(one)}`,
  (one) => `\\u{${hex(one)}}`,
  (one) => `\\x${hex(one)}`,
  (one) => (/[^\w\s]/.test(one) ? `\\${one}` : one),
  (one) => `%${hex(one)}`,
  (one) => `%${upperHex(one)}`,
  (one) => `%25${upperHex(one)}`,
  (one) => `&#${one.charCodeAt(0)};`,
  (one) => `&#x${hex(one)};`,
  (one) => `&amp;#x${upperHex(one)};`,
  (one) => one.toLowerCase(),
  (one) => one.toUpperCase(),
];

/** Ways to write a whole key. */
const wholes: readonly ((key: string) => string)[] = [
  (key) => Buffer.from(key).toString("base64"),
  (key) => Buffer.from(key).toString("base64url"),
  (key) => Buffer.from(`user:${key}`).toString("base64"),
  (key) => Buffer.from(`xx${key}:yy`).toString("base64url"),
  (key) => encodeURIComponent(JSON.stringify(key)),
  (key) => JSON.stringify(JSON.stringify(key)),
  (key) => encodeURIComponent(encodeURIComponent(key)),
];

/** Keys of visible ASCII characters, which a header can contain. */
const keys = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 12,
  maxLength: 48,
});

/** A key, and a text in which a service quotes it. */
const quotedKey = keys.chain((key) =>
  fc.record({
    key: fc.constant(key),
    quoted: fc.oneof(
      fc
        .array(fc.constantFrom(...spellings), { minLength: key.length, maxLength: key.length })
        .map((ways) => [...key].map((one, at) => ways[at]?.(one)).join("")),
      fc.constantFrom(...spellings).map((way) => [...key].map(way).join("")),
      fc.constantFrom(...wholes).map((way) => way(key)),
    ),
  }),
);

/** Command lines, each with a response that quotes the key in a part that the command shows. */
const places: readonly { line: string; respond: (quoted: string) => Responder }[] = [
  {
    line: "volumes list",
    respond: (quoted) => always(401, { code: "NO", message: `${quoted} ${quoted}`, issues: [] }),
  },
  {
    line: "volumes list -o json --debug",
    respond: (quoted) => always(400, { code: quoted, message: "no", issues: [quoted] }),
  },
  { line: "volumes list", respond: (quoted) => always(400, `<html>${quoted}`) },
  { line: "volumes list -o json", respond: (quoted) => always(200, [{ id: 1, label: `\\"${quoted}"\\` }]) },
  { line: "volumes list --columns label,id", respond: (quoted) => always(200, [{ id: 1, label: quoted }]) },
  {
    line: "rentals history -o csv --columns id,label",
    respond: (quoted) => always(200, [{ id: 1, label: quoted }]),
  },
  { line: "volumes list", respond: (quoted) => always(200, [], { sunset: quoted, deprecation: "true" }) },
  {
    line: "volumes list",
    respond: (quoted) => always(302, "", { location: `https://other.example.com/${quoted}?x` }),
  },
  { line: "api call GET /v2/x -i", respond: (quoted) => always(200, quoted, { "x-key": quoted }) },
  {
    line: "chat Hi -m llama",
    respond: (quoted) => always(200, { choices: [{ message: { content: quoted }, finish_reason: "stop" }] }),
  },
  {
    line: "chat Hi -m llama",
    respond: (quoted) =>
      always(
        200,
        `data: {"choices":[{"delta":{"content":${JSON.stringify(quoted)}},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
        { "content-type": "text/event-stream" },
      ),
  },
];

/** Returns a text, and the texts that result if its spellings are decoded repeatedly. Shares no code with gpuctl. */
function readings(text: string): readonly string[] {
  const once = (from: string) =>
    from
      .replace(/\\+u\{?(?:00)?([\da-f]{2})\}?/gi, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
      .replace(/\\+x([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/%([2-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/&#x([\da-f]+);/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replaceAll("&amp;", "&");
  const all = [text];
  for (let depth = 0; depth < 4; depth += 1) all.push(once(all.at(-1) ?? ""));
  const runsOfBase64 = [...text.matchAll(/[\w+/-]{12,}/g)].flatMap(([found]) =>
    [0, 1, 2, 3].map((skip) => Buffer.from(found.slice(skip), "base64").toString("latin1")),
  );
  return [...all, ...all.map((one) => one.replaceAll("\\", "")), ...runsOfBase64];
}

test("a key, or half of it, is not shown in any spelling, wherever a service quotes it", async () => {
  const place = fc.constantFrom(...places);
  await fc.assert(
    fc.asyncProperty(
      quotedKey,
      place,
      fc.constantFrom(undefined, 40, 120),
      async (one, { line, respond }, terminal) => {
        const { key, quoted } = one;
        const { run } = await createCli({ respond: respond(quoted) });
        const { out, err } = await run(line, {
          ...overNetwork({ GPUCTL_API_KEY: key }),
          ...(terminal && { terminal }),
        });
        const half = Math.ceil(key.length / 2);
        const parts = [key, key.replaceAll("\\", "")].flatMap((text) => [
          text.slice(0, half),
          text.slice(half),
        ]);
        const secret = parts.map((part) => part.toLowerCase()).filter(({ length }) => length > 5);
        const shown = readings(out + err).map((text) => text.toLowerCase());
        expect(shown.filter((text) => secret.some((part) => text.includes(part)))).toEqual([]);
        if (line.includes("-o json"))
          expect(() => JSON.parse(out || err.replace(/^[^{]*/, ""))).not.toThrow();
      },
    ),
    runs(200),
  );
});

test("the key of a profile and the key that a program prints are masked as well", async () => {
  const stored = "stored-key-of-a-profile";
  const printed = "key-from-a-command";
  const { run } = await createCli({
    respond: ({ headers }) => Response.json([{ id: 1, label: headers.authorization?.split("").join("\\") }]),
  });
  await run("auth login --with-token --no-validate --base-url https://a.example.com", { stdin: stored });
  await run("profile add other --key-command secret --base-url https://b.example.com");
  const programs = { output: async () => `${printed}\n` };
  for (const [line, key] of [
    ["volumes list", stored],
    ["volumes list --profile other", printed],
  ] as const) {
    const { code, out } = await run(`${line} -o json`, { programs });
    expect({ code, label: JSON.parse(out)[0].label }).toEqual({ code: 0, label: "B\\e\\a\\r\\e\\r\\ ****" });
    expect(out).not.toContain(key);
  }
});

test("only auth token prints the key", async () => {
  expect([...declared].filter(([, { printsKey }]) => printsKey).map(([path]) => path)).toEqual([
    "auth token",
  ]);
  const { run } = await createCli();
  const account = overNetwork({ GPUCTL_API_KEY: "key-that-is-printed" });
  expect((await run("auth token", account)).out).toBe("key-that-is-printed\n");
  expect((await run("auth token -o json", { ...account, terminal: 80 })).out).toContain(
    "key-that-is-printed",
  );
  expect((await run("auth key-that-is-printed", account)).err).not.toContain("key-that-is-printed");
});

test("neither a key of fewer than 8 characters nor the sandbox's keys are masked", async () => {
  const { run } = await createCli({ respond: always(200, [{ id: 1, label: "testing" }]) });
  expect((await run("volumes list", overNetwork({ GPUCTL_API_KEY: "testing" }))).out).toContain("testing");
  const env = { GPUCTL_API_KEY: "gpuctl-sandbox-full" };
  expect((await run("sandbox keys --sandbox", { env })).out).toContain("gpuctl-sandbox-full");
});

test.each([
  ["https://medium.example/@alice/tips: summarise"],
  ["medium.example/ is down", "--system=https://medium.example/@alice/1.png"],
  ["see https://medium.example/x and mail bob@medium.example"],
  ["https://medium.example:8080 says mail bob@medium.example"],
])("text before an @ is shown if it is not a password: %s", async (...words) => {
  const { run } = await createCli();
  const { out } = await run(["chat", ...words, "--sandbox"]);
  expect(out).toContain(words[0]);
});

test.each([
  "https://hunter2-and-more:@host.example.com",
  "https://user:hunter2-and-more@host.example.com/a@b",
])("the password in %s is masked where it is repeated", async (url) => {
  const { run } = await createCli();
  const { out } = await run(["chat", "say hunter2-and-more", "--system", url, "--sandbox"]);
  expect(out).toBe("sandbox-echo heard: say ****\n");
});

describe("the password in a URL is not shown", () => {
  const passwords = ["hunter2", "correct-horse-battery", "p%40ss:w@rd/x"];
  const urls = [
    (password: string) => `https://user:${password}@host.example.com/x`,
    (password: string) => `ftp://user:${password}@host.example.com`,
    (password: string) => `https://${password}@host.example.com`,
    (password: string) => `https:/user:${password}@host.example.com`,
    (password: string) => `user:${password}@host.example.com`,
  ];
  const cases = urls.flatMap((url) => passwords.map((password) => ({ url: url(password), password })));

  // Unless the run is thorough, each kind of URL is tested with only one of the passwords.
  test.each(sample(cases, 0, 4, 8, 9, 13))("$url is refused", async ({ url, password }) => {
    const { run, folder } = await createCli();
    for (const line of [
      ["volumes", "list", "--base-url", url],
      ["volumes", "list", `--base-url=${url}`, "-o", "json", "--debug"],
      ["chat", "Hi", "--inference-base-url", url, "--dry-run"],
      ["profile", "add", "work", "--base-url", url],
      ["config", "set", "baseUrl", url],
      ["auth", "login", "--with-token", "--base-url", url],
    ]) {
      const { code, out, err, requests } = await run(line, { stdin: "key-of-mine-123" });
      expect({ code, requests }, line.join(" ")).toEqual({ code: 2, requests: [] });
      expect(out + err, line.join(" ")).not.toContain(password);
      expect(err).toContain("****@host.example.com");
    }
    const env = { GPUCTL_BASE_URL: url, GPUCTL_API_KEY: "key-of-mine-123" };
    const { code, out, err } = await run("volumes list", { env });
    expect({ code, err }).toEqual({ code: 2, err: expect.not.stringContaining(password) });
    expect(out + (await run("doctor", { env })).out).not.toContain(password);
    expect(existsSync(join(folder, "config", "config.json"))).toBe(false);
  });

  test("if the URL is in the configuration", async () => {
    const { run, folder } = await createCli();
    await run("profile add work --base-url https://host.example.com");
    const path = join(folder, "config", "config.json");
    const config = await readFile(path, "utf8");
    await writeFile(path, config.replace("https://host", "https://user:correct-horse-battery@host"));
    for (const line of [
      "volumes list",
      "doctor",
      "config list",
      "config get baseUrl",
      "profile show work -o json",
    ]) {
      const { out, err } = await run(line);
      expect(out + err, line).not.toContain("correct-horse-battery");
      expect(out + err, line).toContain("****@host.example.com");
    }
  });
});

describe("over plain http the key is sent to this machine only", () => {
  const env = { GPUCTL_API_KEY: key };

  test.each([
    "localhost",
    "LOCALHOST",
    "a.localhost",
    "127.0.0.1",
    "127.1",
    "127.255.0.9",
    "0x7f.1",
    "2130706433",
    "[::1]",
  ])("%s is this machine", async (host) => {
    const { run } = await createCli({ respond: always(200, []) });
    const { code, requests } = await run(`volumes list --base-url http://${host}:9`, { env });
    expect({ code, sent: requests.map(({ headers }) => headers.authorization) }).toEqual({
      code: 0,
      sent: [`Bearer ${key}`],
    });
  });

  const others = [
    "evillocalhost",
    "localhost.evil.example",
    "evil-localhost",
    "localhost-evil",
    "127.0.0.1.evil.example",
    "x127.0.0.1.example",
    "127.example",
    "128.0.0.1",
    "0.0.0.0",
    "10.0.0.1",
    "[::2]",
    "[::]",
    "[::ffff:10.0.0.1]",
    "[fe80::1]",
    "localdomain",
  ];
  const lines = ["volumes list", "chat Hi -m llama", "api call GET /v2/x", "auth status"];
  const sent = others.flatMap((host) => lines.map((line) => ({ host, line })));

  test.each(everyNth(3, sent))("$host is another machine: $line", async ({ host, line }) => {
    const { run } = await createCli({ respond: always(200, []) });
    const { code, requests } = await run(`${line} --base-url http://${host}:9`, { env });
    expect({ code, requests: requests.filter(({ headers }) => headers.authorization) }).toEqual({
      code: 2,
      requests: [],
    });
  });
});

test.each(["\\", "%25", "&amp;", "&#0", "\\u{0", "\\u0073"])(
  "a text of 400,000 characters that repeats %j is searched for the key within 20 seconds",
  async (part) => {
    const label = `${part.repeat(400_000 / part.length)} %41 \\-`;
    const { run } = await createCli({ respond: always(200, label, { "content-type": "text/plain" }) });
    expect((await run("api call GET /v2/x", overNetwork())).out).toBe(label);
  },
  20_000,
);

test.each(["pässwörd12", "p%C3%A4ssw%C3%B6rd12", "p\\u00e4ssw\\u00f6rd12", "p&#228;ssw&#246;rd12"])(
  "a secret with characters that are not ASCII is masked in the spelling %s",
  async (spelling) => {
    const { run } = await createCli();
    const env = { GPUCTL_API_KEY: "pässwörd12" };
    const { out, err } = await run(["chat", `say ${spelling} now`, "--sandbox"], { env });
    expect(out, err).toMatch(/say \*{4} now/);
  },
);
