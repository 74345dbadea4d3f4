import { describe, expect, test } from "vitest";
import { scenarios } from "../../src/core/sandbox.ts";
import { createCli } from "../support/cli.ts";

const env = { GPUCTL_SANDBOX: "1" };
const second = 1000;
const hour = 3600 * second;
const create = "rentals create vm --gpus 1 --label nightly --yes";
const attach = "volumes attach 501 1001";
const metal = "rentals create bare-metal --gpus 8 --network-type ethernet --yes";
const volume = "volumes create --region eu-west-3 --label data --size 256 --yes";
const picture = "image hello --steps 25 --out a.png --yes";

interface Row {
  /** The lines that lead to the situation; a number advances the clock. */
  readonly given: readonly (string | number)[];
  readonly line: string;
  readonly code: number;
  readonly says: string;
}

/** Each situation, a command that meets it, and the exit code and message that the user gets. */
const rows: Readonly<Record<string, Row>> = {
  "the GPUs of a region are sold out": {
    given: ["sandbox situation add capacity --gpu-type h100 --region us-central-1 --region us-east-1"],
    line: create,
    code: 6,
    says: "--region (region): does not have enough h100 capacity: 1 requested, 0 available",
  },
  "another region has some": {
    given: ["sandbox scenario capacity-crunch"],
    line: `${create} --region us-east-2`,
    code: 0,
    says: "",
  },
  "a quota is used up": {
    given: ["sandbox situation add quota --gpus 1", create],
    line: create,
    code: 4,
    says: "--gpus (gpuCount): exceeds the GPU quota of 1: 1 requested, 1 in use",
  },
  "a rental fails now": {
    given: [create, 3 * second, "sandbox situation add failure --rental 1001"],
    line: "rentals wait 1001",
    code: 7,
    says: "rental 1001 has failed",
  },
  "a rental fails at a time": {
    given: ["sandbox situation add failure --at 2026-11-21", create, 13 * hour],
    line: "rentals wait 1001",
    code: 7,
    says: "rental 1001 has failed",
  },
  "a rental is interrupted now": {
    given: [create, 3 * second, "sandbox situation add interruption --label 'night*'"],
    line: "rentals wait 1001",
    code: 5,
    says: "rental 1001 has ended",
  },
  "a rental is interrupted later": {
    given: ["sandbox situation add interruption --after 10m --times 1", create, create, 11 * 60 * second],
    line: "rentals wait 1001",
    code: 5,
    says: "rental 1001 has ended",
  },
  "a rental boots slowly": {
    given: ["sandbox scenario slow-boot", create],
    line: "rentals wait 1001 --wait-timeout 5m",
    code: 8,
    says: "timed out waiting until rental 1001 is running: it is Pending",
  },
  "the balance runs out while a rental runs": {
    given: ["sandbox scenario out-of-money", create, hour],
    line: "rentals wait 1001",
    code: 5,
    says: "rental 1001 has ended",
  },
  "the balance has run out before a rental": {
    given: ["sandbox situation add prepaid --balance 0"],
    line: create,
    code: 4,
    says: "the balance is used up",
  },
  "the balance has run out before a picture": {
    given: ["sandbox situation add picture-prices", "sandbox situation add prepaid --balance 0.01", picture],
    line: "image hello --steps 25 --out b.png --yes",
    code: 4,
    says: "the balance is used up",
  },
  "a volume is in another region": {
    given: ["sandbox situation add same-region", metal, volume],
    line: attach,
    code: 6,
    says: "cannot be combined: the volume is in eu-west-3, and rental 1001 is in us-central-1",
  },
  "a read meets a rate limit that outlasts its retries": {
    given: ["sandbox situation add rate-limit --requests 1 --window 1h", "volumes list"],
    line: "volumes list --retries 0",
    code: 9,
    says: "returned 429",
  },
  "a write meets a rate limit": {
    given: ["sandbox situation add rate-limit --requests 1 --operation createVirtualMachineRental", create],
    line: create,
    code: 9,
    says: "returned 429",
  },
};

describe("a command in a situation ends with the documented exit code", () => {
  test.for(Object.entries(rows))("%s", async ([, { given, line, code, says }]) => {
    const cli = await createCli();
    for (const step of given) {
      if (typeof step === "number") cli.advance(step);
      else expect(await cli.run(step, { env })).toMatchObject({ code: 0 });
    }
    const ended = await cli.run(line, { env });
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(says)]);
  });
});

test("a read waits for the end of the window of a rate limit", async () => {
  const cli = await createCli();
  await cli.run("sandbox scenario rate-limited", { env });
  for (let n = 0; n < 10; n += 1) {
    expect(await cli.run("volumes list", { env })).toMatchObject({ code: 0, slept: [] });
  }
  cli.advance(4 * second);
  expect(await cli.run("volumes list", { env })).toMatchObject({ code: 0, slept: [6 * second] });
});

test("the scenario flaky makes calls fail in each documented way", async () => {
  const cli = await createCli();
  await cli.run("sandbox scenario flaky", { env });
  const codes = async (line: string) => {
    const seen = new Set<number>();
    for (let n = 0; n < 40; n += 1) seen.add((await cli.run(line, { env })).code);
    return [...seen].sort((one, other) => one - other);
  };
  expect(await codes("volumes list --retries 0")).toEqual([0, 7, 9]);
  expect(await codes(create)).toEqual([0, 10]);
  expect((await cli.run("sandbox scenario none", { env })).err).toContain("No situations");
  expect(await codes(create)).toEqual([0]);
});

test("a dry run of a scenario shows what it would do", async () => {
  const cli = await createCli();
  const { out, err } = await cli.run("sandbox scenario slow-boot --dry-run");
  expect(out).toContain(scenarios["slow-boot"]);
  expect(err).not.toContain("No situations");
  expect((await cli.run("sandbox boot list -o json")).out.trim()).toBe("[]");
});

test("help names each scenario", async () => {
  const cli = await createCli();
  const { out } = await cli.run("help sandbox scenario");
  const text = out.replaceAll(/\s+/g, " ");
  for (const [name, meaning] of Object.entries(scenarios)) expect(text).toContain(`\`${name}\`: ${meaning}.`);
});

test("a served sandbox starts in a scenario", async () => {
  const stop = new AbortController();
  const cli = await createCli({
    listen: async () => ({ url: "http://127.0.0.1:8787", close: async () => {} }),
  });
  stop.abort();
  const run = await cli.run("sandbox serve --scenario capacity-crunch", { signal: stop.signal });
  expect(run.err).toContain(`The scenario is capacity-crunch: ${scenarios["capacity-crunch"]}.`);
  expect((await cli.run(create, { env })).code).toBe(6);
  expect((await cli.run("sandbox serve --scenario flakey", { env })).code).toBe(2);
});

test("a seed can have a scenario and situations", async () => {
  const cli = await createCli();
  const seed = (stdin: string) => cli.run("sandbox seed - --yes", { env, stdin });
  await seed(
    "rentals: [{rentalType: virtual-machine, gpuCount: 1}]\nscenario: out-of-money\nsituations: [{kind: interruption, afterSeconds: 5}]",
  );
  expect(JSON.parse((await cli.run("sandbox situation list -o json", { env })).out)).toMatchObject([
    { kind: "prepaid" },
    { kind: "picture-prices" },
    { kind: "interruption", affected: 1 },
  ]);
  const before = cli.sandbox.snapshot();
  const wrong = await seed("scenario: flakey\nsituations: [{kind: quota}, {kind: prepaid, gpus: 1}]");
  expect(wrong.code).toBe(2);
  for (const message of ["scenario must be one of", "situations.0.gpus", "situations.1.gpus"]) {
    expect(wrong.err).toContain(message);
  }
  cli.sandbox.restore(JSON.stringify(before));
  expect(cli.sandbox.snapshot()).toMatchObject({ tables: { situations: [{ id: 1 }, { id: 2 }, { id: 3 }] } });
});

test.for([
  ["add quota", "--gpus is required"],
  ["add capacity --gpus -1", "--gpus must be at least 0"],
  ["add prepaid --gpus 1", "--gpus is not a field of this situation"],
  ["add failure --rental 5", "--rental must be the ID of a rental: 5 does not exist"],
  ["add failure --after 1s --at 2030-01-01", "--at cannot be combined with a delay after the start"],
  ["add failure --at soon", "--at must be a time such as"],
  ["add rate-limit --requests 1 --operation listVolumez", "--operation must be * or the ID of an operation"],
  ["add rate-limit --requests 1 --window 0s", "--window must be more than 0"],
  ["add storm", "KIND must be one of capacity"],
] as const)("sandbox situation %s is refused", async ([line, message]) => {
  const cli = await createCli();
  const { code, err } = await cli.run(`sandbox situation ${line}`, { env });
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(cli.sandbox.situations.list()).toEqual([]);
});

test("situations are removed one by one or all", async () => {
  const cli = await createCli();
  for (const kind of ["capacity", "same-region", "picture-prices"]) {
    await cli.run(`sandbox situation add ${kind}`, { env });
  }
  expect((await cli.run("sandbox situation clear 2 -o json", { env })).out).toContain("1");
  expect((await cli.run("sandbox situation clear 2", { env })).code).toBe(5);
  expect(JSON.parse((await cli.run("sandbox situation clear -o json", { env })).out)).toEqual({ cleared: 2 });
});
