import { describe, expect, test } from "vitest";
import { bootOutcomes, scenarios, situationKinds } from "../../src/core/sandbox.ts";
import { createCli } from "../support/cli.ts";
import { overNetwork } from "../support/service.ts";

const env = { GPUCTL_SANDBOX: "1" };
const second = 1000;
const hour = 3600 * second;
const minute = 60 * second;
const create = "rentals create vm --gpus 1 --label nightly --yes";
const metal = "rentals create bare-metal --gpus 8 --network-type ethernet --yes";
const volume = "volumes create --region eu-west-3 --label data --size 256 --yes";
const picture = "image hello --steps 25 --yes --out";
const add = "sandbox situation add";
const boot = "sandbox boot add --outcome";
const pricedPictures = [`${add} picture-prices`, `${add} prepaid --balance 0.01`];
const tenCalls = Array.from({ length: 10 }, () => "volumes list");

/** A name, steps (command lines, or milliseconds to wait), a command line, its exit code, a pattern for its stderr. */
type Row = readonly [string, readonly (string | number)[], string, number, string];

// biome-ignore format: a table
const rows: readonly Row[] = [
  // Capacity
  ["GPUs are sold out in some regions", [`${add} capacity --gpu-type h100 --region us-central-1 --region us-east-1`],
    create, 6, "--region (region): does not have enough h100 capacity: 1 requested, 0 available"],
  ["GPUs are sold out for bare metal", [`${add} capacity --gpus 4`], metal, 6, "8 requested, 4 available"],
  ["GPUs are sold out before a job", [`${add} capacity`], "rentals run --gpus 1 --yes -- true", 6, "1 requested, 0 available"],
  ["GPUs suffice for some of several rentals", [`${add} capacity --gpus 1`],
    "rentals create vm --gpus 1 --label job --count 3 --yes", 12, "job-3: Invalid input data .*: --region (region): does not have enough h100 capacity: 1 requested, 0 available"],
  ["GPUs are sold out for each of several rentals", [`${add} capacity`],
    "rentals create vm --gpus 1 --count 2 --yes", 6, "--region (region): does not have enough h100 capacity"],
  ["another GPU type is available", [`${add} capacity --gpu-type h100`], `${create} --gpu b200`, 0, "Next steps"],
  ["a quota is used up", [`${add} quota --gpus 1`, create],
    create, 4, "--gpus (gpuCount): exceeds the GPU quota of 1: 1 requested, 1 in use\n$"],
  ["the quota of one GPU type is used up", [`${add} quota --gpu-type b200 --gpus 0`],
    `${create} --gpu b200`, 4, "exceeds the b200 quota of 0"],
  // Boots
  ["a rental boots slowly", [`${boot} slow`, create],
    "rentals wait 1001 --wait-timeout 5m", 8, "timed out waiting until rental 1001 is running: it is Pending .*\n.*is still billed"],
  ["a rental boots slowly during create --wait", [`${boot} slow`],
    `${create} --wait --wait-timeout 5m`, 8, "Rental 1001 was created and is billed. Do not create it again."],
  ["a rental boots slowly before a login", [`${boot} slow`, create], "rentals ssh 1001", 8, "rental 1001 is not ready yet"],
  ["a rental boots in time", [`${boot} slow --after 5m`], `${create} --wait`, 0, "Waiting until it is running"],
  ["a rental never boots", [`${boot} never`, create], "rentals wait 1001 --wait-timeout 1h", 8, "it is Pending"],
  ["a rental fails to boot", [`${boot} failed`, create], "rentals wait 1001", 7, "rental 1001 has failed; it may still be billed"],
  ["a rental fails to boot during create --wait", [`${boot} failed`], `${create} --wait`, 7, "Do not create it again"],
  // Running rentals
  ["a rental fails now", [create, 3 * second, `${add} failure --rental 1001`], "rentals wait 1001", 7, "rental 1001 has failed"],
  ["a rental fails at a given time", [`${add} failure --at 2026-11-21`, create, 13 * hour], "rentals wait 1001", 7, "rental 1001 has failed"],
  ["a rental failed before a login", [create, 3 * second, `${add} failure`], "rentals ssh 1001", 7, "rental 1001 has failed"],
  ["a rental failed and is ended", [create, 3 * second, `${add} failure`], "rentals terminate 1001 --yes", 0, "^$"],
  ["a rental is interrupted now", [create, 3 * second, `${add} interruption --label 'night*'`],
    "rentals wait 1001", 5, "rental 1001 has ended"],
  ["a rental is interrupted later", [`${add} interruption --after 10m --times 1`, create, create, 11 * minute],
    "rentals wait 1001", 5, "rental 1001 has ended"],
  ["another rental is interrupted", [`${add} interruption --after 10m --times 1`, create, create, 11 * minute],
    "rentals wait 1002", 0, "^$"],
  ["a rental was interrupted before a login", [create, 3 * second, `${add} interruption`], "rentals ssh 1001", 5, "has ended"],
  ["a rental was interrupted before it is ended", [create, 3 * second, `${add} interruption`],
    "rentals terminate 1001 --yes", 0, "^$"],
  ["an interruption is awaited", [`${add} interruption --after 10m`, create], "rentals wait 1001 --for terminated", 0, "^$"],
  // Money
  ["the balance has run out before a rental", [`${add} prepaid --balance 0`], create, 4, "\n  the balance is used up\n$"],
  ["the balance has run out before a picture", [...pricedPictures, `${picture} a.png`],
    `${picture} b.png`, 4, "the balance is used up"],
  ["the balance suffices for some of several pictures", pricedPictures,
    `${picture} some -n 3`, 12, "2 of 3 images failed[^]*image 3: [^\\n]*: the balance is used up"],
  ["the balance runs out while a rental runs", [`${add} prepaid --balance 1`, create, hour],
    "rentals wait 1001", 5, "rental 1001 has ended"],
  // Rate limits
  ["a read meets a rate limit that outlasts its retries", [`${add} rate-limit --requests 1 --window 1h`, "volumes list"],
    "volumes list --retries 0", 9, "Too many requests. The service asks to wait 1h."],
  ["a read waits for the end of a rate limit", [`${add} rate-limit --requests 1 --window 10s`, "volumes list"], "volumes list", 0, "No storage volumes"],
  ["a write meets a rate limit", [`${add} rate-limit --requests 1 --operation createVirtualMachineRental`, create],
    create, 9, "returned 429"],
  ["a chat meets a rate limit", [`${add} rate-limit --requests 1`, "volumes list"], "chat hello -m sandbox-echo", 9, "returned 429"],
  ["one of several pictures waits for the end of a rate limit", [`${add} rate-limit --requests 1 --operation generateImage`],
    `${picture} two -n 2`, 0, "2 images"],
  ["one of two lists meets a rate limit",
    [`${add} rate-limit --requests 1 --operation listVirtualMachineRentals`, "rentals list"],
    "rentals list --retries 0", 9, "Only bare-metal rentals are listed"],
  // Regions
  ["a volume is in another region", [`${add} same-region`, metal, volume], "volumes attach 501 1001", 6,
    "must be in the same region: the volume is in eu-west-3, and rental 1001 is in us-central-1"],
  ["a new rental is in another region than its volume", [`${add} same-region`, volume],
    `${metal} --storage-volume 501`, 6, "--storage-volume (storageVolume) must be in the same region: the volume is in eu-west-3"],
  ["a new volume is in another region than its rental", [`${add} same-region`, metal],
    `${volume} --rental-ids 1001`, 6, "--rental-ids (rentalIds) must be in the same region: the volume is in eu-west-3"],
  // Scenarios
  ["capacity-crunch", ["sandbox scenario capacity-crunch"], create, 6, "1 requested, 0 available"],
  ["capacity-crunch, another region", ["sandbox scenario capacity-crunch"], `${create} --region us-east-2`, 0, "Next steps"],
  ["capacity-crunch, too many GPUs", ["sandbox scenario capacity-crunch"],
    "rentals create vm --gpus 16 --region us-east-2 --yes", 6, "16 requested, 8 available"],
  ["flaky", ["sandbox scenario flaky"], "volumes list --retries 0", 7, "returned 503"],
  ["flaky, with retries", ["sandbox scenario flaky"], "volumes list", 0, "No storage volumes"],
  ["flaky, a write", ["sandbox scenario flaky"], "user update --name Ada", 10, "the outcome is unknown"],
  ["slow-boot", ["sandbox scenario slow-boot"], `${create} --wait --wait-timeout 5m`, 8, "it is Pending"],
  ["slow-boot, with enough time", ["sandbox scenario slow-boot"], `${create} --wait`, 0, "Waiting until it is running"],
  ["out-of-money", ["sandbox scenario out-of-money", create, hour], "rentals wait 1001", 5, "rental 1001 has ended"],
  ["out-of-money, a new rental", ["sandbox scenario out-of-money", create, hour], create, 4, "the balance is used up"],
  ["rate-limited", ["sandbox scenario rate-limited", ...tenCalls], "volumes list --retries 0", 9, "asks to wait 10s"],
  ["rate-limited, a write", ["sandbox scenario rate-limited", ...tenCalls], create, 9, "returned 429"],
  ["none", ["sandbox scenario out-of-money", "sandbox scenario none", create, hour], "rentals wait 1001", 0, "^$"],
];

/** A sandbox in the same process or over HTTP. Over HTTP, commands use the replacements of deprecated operations. */
async function openedAs(place: string) {
  const cli = await createCli({ negotiates: true });
  if (place === "in the process") return { cli, options: { env } };
  const which = async (name: string) => (name === "ssh" ? "/usr/bin/ssh" : undefined);
  return { cli, options: { ...overNetwork({ GPUCTL_API_KEY: cli.sandbox.keys.full }), machine: { which } } };
}

describe.each(["in the process", "served"])(
  "a situation in the sandbox (%s) leads to the documented exit code and message",
  (place) => {
    // In the same process, `rentals ssh` and `rentals run` would use machines of the sandbox, which need sshd.
    const possible = rows.filter(([, , line]) => place === "served" || !/rentals (ssh|run)/.test(line));

    test.for(possible)("%s", async ([, given, line, code, message]) => {
      const { cli, options } = await openedAs(place);
      for (const step of given) {
        if (typeof step === "number") cli.advance(step);
        else
          expect(await cli.run(step, step.startsWith("sandbox") ? { env } : options)).toMatchObject({
            code: 0,
          });
      }
      const ended = await cli.run(line, options);
      const pattern = message.replaceAll(/[()]/g, "\\$&");
      expect([ended.code, ended.err]).toEqual([code, expect.stringMatching(new RegExp(pattern))]);
    });
  },
);

test("the tested situations include each kind of situation, each outcome of a boot, and each scenario", () => {
  const steps = rows.flatMap(([, given]) => given).join("\n");
  for (const kind of situationKinds) expect(steps).toContain(`${add} ${kind}`);
  for (const outcome of bootOutcomes) expect(steps).toContain(`${boot} ${outcome}`);
  for (const name of Object.keys(scenarios)) expect(steps).toContain(`sandbox scenario ${name}`);
});

test("volumes list waits until the window of the rate limit ends", async () => {
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

test("a dry run of sandbox scenario shows what the scenario does, and changes nothing", async () => {
  const cli = await createCli();
  const { out, err } = await cli.run("sandbox scenario slow-boot --dry-run");
  expect(out).toContain(scenarios["slow-boot"]);
  expect(err).not.toContain("No situations");
  expect((await cli.run("sandbox boot list -o json")).out.trim()).toBe("[]");
});

test("help for sandbox scenario names each scenario", async () => {
  const cli = await createCli();
  const { out } = await cli.run("help sandbox scenario");
  const text = out.replaceAll(/\s+/g, " ");
  for (const [name, meaning] of Object.entries(scenarios)) expect(text).toContain(`\`${name}\`: ${meaning}.`);
});

test("sandbox serve --scenario starts the sandbox with a scenario", async () => {
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

test("a seed can have boot rules and faults in addition to those of its scenario", async () => {
  const cli = await createCli();
  const seed = (stdin: string) => cli.run("sandbox seed - --yes", { env, stdin });
  await seed(`
scenario: slow-boot
keys: [{ value: key-of-a-tester, name: tester }]
boots: [{ outcome: failed, label: trainer-*, times: 1 }]
faults: [{ operation: listStorageVolumes, status: 403, body: <h1>Forbidden</h1>, contentType: text/html },
  { operation: "*", delayMs: 1, key: tester }]`);
  expect(cli.sandbox.boots.list()).toMatchObject([{ outcome: "slow" }, { outcome: "failed", left: 1 }]);
  expect(cli.sandbox.faults.list()).toMatchObject([{ status: 403, left: 1 }, { key: "tester" }]);
  expect(await cli.run("volumes list --retries 0", { env })).toMatchObject({
    code: 4,
    err: expect.stringContaining("Forbidden"),
  });
  const before = cli.sandbox.snapshot();
  for (const [text, message] of [
    ["boots: [{ outcome: never, afterSeconds: 1 }]", "boots.0.afterSeconds must be left out"],
    ["boots: [{ outcome: later }]", "boots.0.outcome must be one of"],
    ["faults:\n- { operation: listVolumez, status: 500 }", "faults.0.operation must be * or the ID"],
    ["faults: [{ operation: getRental }]", "faults.0.status or another effect is required"],
    ["faults: [{ operation: getRental, status: 500, key: none }]", "faults.0.key must be the name"],
  ] as const) {
    expect(await seed(text)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  }
  expect(cli.sandbox.snapshot()).toEqual(before);
});

test("a seed can have situations in addition to those of its scenario", async () => {
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
  ["add failure --after 1s --at 2030-01-01", "--at cannot be combined with a delay"],
  ["add failure --at soon", "--at must be a time such as"],
  ["add rate-limit --requests 1 --operation listVolumez", "--operation must be * or the ID of an operation"],
  ["add rate-limit --requests 1 --window 0s", "--window must be more than 0"],
  ["add storm", "KIND must be one of capacity"],
] as const)("sandbox situation %s is rejected", async ([line, message]) => {
  const cli = await createCli();
  const { code, err } = await cli.run(`sandbox situation ${line}`, { env });
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(cli.sandbox.situations.list()).toEqual([]);
});

test("sandbox situation list says which rentals end or fail, and when", async () => {
  const cli = await createCli();
  await cli.run(`${add} failure --after 5s --times 2`, { env });
  await cli.run(`${add} interruption --label nightly --at 2030-01-01`, { env });
  expect(JSON.parse((await cli.run("sandbox situation list -o json", { env })).out)).toMatchObject([
    { effect: "makes 2 rentals fail after 5 s" },
    { effect: "ends rentals labeled nightly at 2030-01-01T00:00:00.000Z" },
  ]);
});

test("sandbox situation clear removes one situation or all of them", async () => {
  const cli = await createCli();
  for (const kind of ["capacity", "same-region", "picture-prices"]) {
    await cli.run(`sandbox situation add ${kind}`, { env });
  }
  expect((await cli.run("sandbox situation clear 2 -o json", { env })).out).toContain("1");
  expect((await cli.run("sandbox situation clear 2", { env })).code).toBe(5);
  expect(JSON.parse((await cli.run("sandbox situation clear -o json", { env })).out)).toEqual({ cleared: 2 });
});
