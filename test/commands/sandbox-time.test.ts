import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

const day = 24 * 3600 * 1000;
const seed = `
clock: { now: "2030-01-01T00:00:00Z", frozen: true }
balanceCents: 100000
keys: [{ value: key-of-the-seed }]
rentals: [{ rentalType: virtual-machine, gpuCount: 2, createdAt: "2029-12-01T00:00:00Z" }]
volumes: [{ label: data, region: eu-west-3, sizeInGb: 256 }]
`;

const script = [
  "rentals create vm --gpus 1 --term-type reserved --days 30",
  "rentals create bare-metal --gpus 8 --network-type ethernet --new-volume made --new-volume-size 300",
  "volumes list -o json",
  'image "a lighthouse" -m SDXL-turbo --steps 1 -o json',
  'image "a lighthouse" -m SDXL-turbo --steps 2 --out -',
  'chat "say this" -o json',
  'tts "hello there" --out -',
  "sandbox clock advance 90s",
  "rentals list -o json",
  "rentals list",
  "sandbox fault add --operation getRental --status 503 --times 2",
  "rentals get 1001 --retries 0",
  "sandbox clock advance 45d",
  "rentals list",
  "rentals summary -o json",
  "sandbox status -o json",
  "sandbox requests -o json",
];

/** The output and the final state of the script in a new sandbox, on a computer whose clock is `ahead` ms ahead. */
async function runScript(ahead: number) {
  const { run, advance, folder, sandbox } = await createCli();
  advance(ahead);
  const outputs: string[] = [];
  const options = { env: { GPUCTL_SANDBOX: "1" } };
  await run("sandbox seed - --yes", { ...options, stdin: seed });
  for (const line of script) {
    const { bytes, code } = await run(`${line} --yes`, options);
    outputs.push(`${line} -> ${code}\n${bytes.toString("latin1").replaceAll(folder, "")}`);
  }
  const headers = { authorization: `Bearer ${sandbox.keys.full}` };
  for (const [path, body] of [
    ["api-keys", { name: "ci" }],
    ["ssh-keys", { name: "ada", publicKey: "ssh-ed25519 AAAAC3Nza" }],
  ] as const) {
    const made = new Request(`http://sandbox/v2/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    outputs.push(await (await sandbox.fetch(made)).text());
  }
  const snapshot = (await run("sandbox snapshot -", options)).out;
  return { outputs, snapshot };
}

test("the same script with the same seed has the same output and state, byte for byte", async () => {
  const [one, other] = [await runScript(0), await runScript(500 * day + 1234)];
  expect(other.outputs.map((text) => text.slice(0, 2000))).toEqual(
    one.outputs.map((text) => text.slice(0, 2000)),
  );
  expect(other.outputs.join("\0") === one.outputs.join("\0")).toBe(true);
  expect(other.snapshot).toBe(one.snapshot);
  const failed = one.outputs.filter((text) => !/ -> 0\n/.test(text.slice(0, 200)) && text.includes(" -> "));
  expect(failed.map((text) => text.split("\n")[0])).toEqual(["rentals get 1001 --retries 0 -> 7"]);
});

test("no code of the sandbox uses random values, and only its clock reads the time of the computer", () => {
  const folder = new URL("../../src/sandbox", import.meta.url).pathname;
  const offenders = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .filter((name) =>
      /Date\.now|Math\.random|randomUUID|randomBytes|new Date\(\)|unixepoch\(\)|CURRENT_TIMESTAMP/.test(
        readFileSync(join(folder, name), "utf8"),
      ),
    );
  expect(offenders).toEqual(["clock.ts"]);
});

describe("sandbox clock", () => {
  test.each([
    ["advance 1y", 'DURATION must be a duration such as 30d, 12h or 90s, not "1y"'],
    ["advance 5", 'not "5"'],
    ["advance 1e3d", 'not "1e3d"'],
    ["advance -- -1d", 'not "-1d"'],
    ["advance 99999999d", "DURATION must not move the clock past 9999-12-31T23:59:59.000Z"],
    ["set 2026-11-20T11:59:59Z", "TIME must not move the clock backward: the sandbox's time is"],
    ["set 10000-01-01", 'TIME must be a time such as 2026-12-31T00:00:00Z, not "10000-01-01"'],
    ["set 2027-02-30", "TIME must be a time"],
    ["set tomorrow", "TIME must be a time"],
  ])("rejects %s, and the clock does not move", async (line, message) => {
    const { run, sandbox } = await createCli();
    sandbox.clock.freeze();
    const before = sandbox.snapshot();
    const { code, out, err } = await run(`sandbox clock ${line}`);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test.each([
    ["advance 0s", 0],
    ["advance 1.5h", 1.5 * 3_600_000],
    ["advance 1d2h3m4s5ms", day + 2 * 3_600_000 + 184_005],
    ["set 2026-11-20T12:00:00Z", 0],
    ["set 2026-11-21", 12 * 3_600_000],
  ])("accepts %s", async (line, passed) => {
    const { run } = await createCli();
    const { out } = await run(`sandbox clock ${line} -o id`);
    expect(out).toBe(`${new Date(Date.UTC(2026, 10, 20, 12) + passed).toISOString()}\n`);
  });
});

test("a clock that moves past several events gives each event its own time, and deducts the cost from the balance", async () => {
  const { run, sandbox } = await createCli();
  const env = { GPUCTL_SANDBOX: "1" };
  await run("sandbox clock freeze", { env });
  for (const more of ["--days 30 --no-convert-to-on-demand-on-expiry", "--days 1", "--days 1 --gpus 2"]) {
    expect((await run(`rentals create vm --gpus 1 --term-type reserved ${more} --yes`, { env })).code).toBe(
      0,
    );
  }
  await run("sandbox clock advance 40d", { env });
  const rentals = JSON.parse((await run("rentals history -o json", { env })).out);
  const at = (ms: number) => new Date(Date.UTC(2026, 10, 20, 12) + ms).toISOString();
  expect(rentals).toMatchObject([
    { id: 1001, startedAt: at(2000), terminatedAt: at(2000 + 30 * day), billedCents: 30 * 24 * 180 },
  ]);
  const seconds = 40 * 86_400 - 2;
  const [one, two] = [Math.floor((seconds * 200) / 3600), Math.floor((seconds * 400) / 3600)];
  const active = JSON.parse((await run("rentals list --type vm -o json", { env })).out);
  expect(active).toMatchObject([
    { id: 1002, termType: "on-demand", billedCents: one },
    { id: 1003, termType: "on-demand", billedCents: two },
  ]);
  expect(sandbox.status()).toMatchObject({ balanceCents: 1_000_000 - 30 * 24 * 180 - one - two });
});
