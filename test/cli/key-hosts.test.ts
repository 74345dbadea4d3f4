import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

const own = "https://own.example";
const ownInference = "https://inference.own.example";
const other = "https://other.example";
const storedKey = "stored-key-1234";
const otherKey = "other-key-5678";

interface Case {
  readonly name: string;
  readonly flags?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The key that each host receives; undefined if gpuctl refuses to send one. */
  readonly compute: string | undefined;
  readonly inference: string | undefined;
}

const cases: readonly Case[] = [
  { name: "nothing is overridden", compute: storedKey, inference: storedKey },
  {
    name: "a flag names the same host",
    flags: `--base-url ${own}/v9`,
    compute: storedKey,
    inference: storedKey,
  },
  {
    name: "a flag names another host",
    flags: `--base-url ${other}`,
    compute: undefined,
    inference: undefined,
  },
  {
    name: "a flag names another port",
    flags: `--base-url ${own}:444`,
    compute: undefined,
    inference: undefined,
  },
  {
    name: "a flag names http",
    flags: "--base-url http://own.example",
    compute: undefined,
    inference: undefined,
  },
  {
    name: "the environment names another host",
    env: { GPUCTL_BASE_URL: other },
    compute: undefined,
    inference: undefined,
  },
  {
    name: "a flag names another inference host",
    flags: `--inference-base-url ${other}`,
    compute: storedKey,
    inference: undefined,
  },
  {
    name: "the environment names another inference host",
    env: { GPUCTL_INFERENCE_BASE_URL: other },
    compute: storedKey,
    inference: undefined,
  },
  {
    name: "the profile's compute host is named for inference",
    flags: `--inference-base-url ${own}`,
    compute: storedKey,
    inference: storedKey,
  },
  {
    name: "the profile's inference host is named for both",
    flags: `--base-url ${ownInference}`,
    compute: storedKey,
    inference: storedKey,
  },
  {
    name: "another key is set for another host",
    flags: `--base-url ${other}`,
    env: { GPUCTL_API_KEY: otherKey },
    compute: otherKey,
    inference: otherKey,
  },
  {
    name: "another key is set for another inference host",
    env: { GPUCTL_API_KEY: otherKey, GPUCTL_INFERENCE_BASE_URL: other },
    compute: otherKey,
    inference: otherKey,
  },
  { name: "another key is set", env: { GPUCTL_API_KEY: otherKey }, compute: otherKey, inference: otherKey },
];

describe.each(["stored", "printed by a program"])(
  "a profile's key, %s, is sent to the profile's hosts only",
  (kind) => {
    const programs = { output: async () => `${storedKey}\n` };

    async function withProfile() {
      const cli = await createCli({ respond: () => Response.json({ audio: "x" }) });
      const hosts = `--base-url ${own} --inference-base-url ${ownInference}`;
      const line =
        kind === "stored"
          ? `auth login --with-token --no-validate ${hosts}`
          : `auth login --key-command secret ${hosts}`;
      await cli.run(line, { stdin: storedKey });
      return cli;
    }

    test.each(cases)("$name", async ({ flags = "", env = {}, compute, inference }) => {
      const { run } = await withProfile();
      for (const [command, arrives] of [
        ["rentals summary", compute],
        ["chat Hi -m llama --no-stream", inference],
      ] as const) {
        const { code, err, requests } = await run(`${command} ${flags}`, { env, programs });
        expect(requests.map(({ headers }) => headers.authorization)).toEqual(
          arrives === undefined ? [] : [`Bearer ${arrives}`],
        );
        if (arrives !== undefined) continue;
        expect(code).toBe(3);
        expect(err).toMatch(/the key from .*profile "default" is for https:\/\/own\.example and /);
        expect(err).toContain("GPUCTL_API_KEY");
        expect(err).not.toContain(storedKey);
      }
    });
  },
);

test("the key of a profile without a host is sent nowhere until the profile has a host", async () => {
  const { run } = await createCli({ respond: () => Response.json([]) });
  const programs = { output: async () => `${storedKey}\n` };
  await run("config set apiKeyCommand secret");
  for (const options of [{}, { env: { GPUCTL_BASE_URL: other } }]) {
    const line = `volumes list ${"env" in options ? "" : `--base-url ${other}`}`;
    const { code, err, requests } = await run(line, { ...options, programs });
    expect({ code, requests }).toEqual({ code: 3, requests: [] });
    expect(err).toContain(`profile "default" is stored without a host and will not be sent to ${other}`);
  }
  await run(`config set baseUrl ${other}`);
  const { requests } = await run("volumes list", { programs });
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${storedKey}`);
});

test("the request for the service's description has no key, so any host can serve it", async () => {
  const { run } = await createCli({ respond: () => Response.json({ openapi: "3.1.0", paths: {} }) });
  await run(`auth login --with-token --no-validate --base-url ${own}`, { stdin: storedKey });
  const { code, requests } = await run(`api spec --base-url ${other}`);
  expect(code).toBe(0);
  expect(requests[0]?.headers).not.toHaveProperty("authorization");
});

test.each(["config set baseUrl https://other.example", "config unset baseUrl"])(
  "the host of a profile with a stored key cannot be changed: %s",
  async (line) => {
    const { run } = await createCli();
    await run(`auth login --with-token --no-validate --base-url ${own}`, { stdin: storedKey });
    const { code, err } = await run(line);
    expect(code).toBe(2);
    expect(err).toContain(
      `the key in profile "default" is for ${own} and will not be used for another scheme, host or port`,
    );
    expect((await run("config get baseUrl")).out).toBe(`${own}\n`);
    expect(await run(`config set baseUrl ${own}/v3`)).toMatchObject({ code: 0 });
  },
);
