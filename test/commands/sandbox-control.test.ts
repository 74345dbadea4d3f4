import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCli } from "../support/cli.ts";

const vm = "rentals create vm --gpus 1 --sandbox --yes";
const day = 24 * 3600 * 1000;

test("the clock of the sandbox can be shown, frozen, set and resumed", async () => {
  const { run } = await createCli();
  expect((await run("sandbox clock freeze")).out).toMatchInlineSnapshot(`
    "now:       2026-11-20T12:00:00.000Z
    frozen:    true
    offsetMs:  -
    "
  `);
  expect(JSON.parse((await run("sandbox clock advance 1d12h -o json")).out)).toEqual({
    now: "2026-11-22T00:00:00.000Z",
    frozen: true,
    offsetMs: null,
  });
  expect((await run("sandbox clock set 2027-01-01 -o id")).out).toBe("2027-01-01T00:00:00.000Z\n");
  expect((await run("sandbox clock set 2027-01-01T02:00:00+01:00 -o id")).out).toBe(
    "2027-01-01T01:00:00.000Z\n",
  );
  expect(JSON.parse((await run("sandbox clock resume -o json")).out)).toMatchObject({ frozen: false });
  expect(JSON.parse((await run("sandbox clock show -o json")).out)).toMatchObject({
    now: "2027-01-01T01:00:00.000Z",
  });
});

test.each([
  ["sandbox clock advance 30", 'DURATION must be a duration such as 30d, 12h or 90s, not "30"'],
  ["sandbox clock advance -- -30d", "DURATION must be a duration"],
  ["sandbox clock advance 9999999d", "DURATION must not move the clock past 9999-12-31"],
  ["sandbox clock set tomorrow", "TIME must be a time such as 2026-12-31T00:00:00Z"],
  ["sandbox clock set 2026-11-20T11:59:59Z", "TIME must not move the clock backward: the sandbox's time is"],
  ["sandbox clock set 2026-02-30", "TIME must be a time"],
])("%s is rejected, and the clock of the sandbox does not change", async (line, message) => {
  const { run } = await createCli();
  const before = (await run("sandbox clock show -o json")).out;
  const { code, out, err } = await run(line);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
  expect((await run("sandbox clock show -o json")).out).toBe(before);
});

test("a rental in the sandbox boots, is billed and expires when the clock moves", async () => {
  const { run, advance } = await createCli();
  await run("sandbox clock freeze");
  await run(`${vm} --term-type reserved --days 30 --no-convert-to-on-demand-on-expiry`);
  advance(day);
  expect(JSON.parse((await run("rentals get 1001 -o json --sandbox")).out)).toMatchObject({
    status: "Pending",
  });
  await run("sandbox clock advance 1d");
  expect(JSON.parse((await run("rentals get 1001 -o json --sandbox")).out)).toMatchObject({
    status: "Running",
    billedCents: Math.floor(((86_400 - 2) * 180) / 3600),
  });
  await run("sandbox clock advance 30d");
  expect(JSON.parse((await run("rentals history -o json --sandbox")).out)).toMatchObject([
    { id: 1001, terminatedAt: "2026-12-20T12:00:02.000Z", billedCents: 30 * 24 * 180 },
  ]);
});

test.each([
  ["--cut-stream-after 1", "cuts a stream after 1 event and any other response after 1 KiB"],
  [
    "--cut-stream-after 2 --reset",
    "cuts a stream after 2 events and any other response after 2 KiB, then resets the connection",
  ],
  [
    "--cut-stream-after 0 --stall",
    "cuts a stream after 0 events and any other response after 0 KiB, then sends nothing more",
  ],
  ["--delay 1s --reset", "waits 1 s, resets the connection"],
])("the effect of a fault with %s says what happens to the connection", async (flags, effect) => {
  const { run } = await createCli();
  const { out } = await run(`sandbox fault add --operation '*' ${flags} -o json`);
  expect(JSON.parse(out)).toMatchObject({ effect });
});

test("a fault can be added, listed and cleared", async () => {
  const { run } = await createCli();
  await run("sandbox fault add --operation getRental --status 429 --times 2 --after 1 --delay 3s");
  await run("sandbox fault add --operation '*' --cut-stream-after 2 --reset");
  expect((await run("sandbox fault list")).out).toMatchInlineSnapshot(`
    "ID  OPERATION  EFFECT                                                                                       AFTER  TIMES  LEFT
    1   getRental  waits 3 s, returns 429, sets Retry-After to 1 s                                                  1      2     2
    2   *          cuts a stream after 2 events and any other response after 2 KiB, then resets the connection      0      1     1
    "
  `);
  expect(JSON.parse((await run("sandbox fault list -o json")).out)[0]).toEqual({
    id: 1,
    operation: "getRental",
    effect: "waits 3 s, returns 429, sets Retry-After to 1 s",
    after: 1,
    times: 2,
    left: 2,
    status: 429,
    retryAfterSeconds: 1,
    delayMs: 3000,
    reset: false,
    stall: false,
    garbage: false,
    applied: false,
  });
  expect(JSON.parse((await run("sandbox fault clear 1 -o json")).out)).toEqual({ cleared: 1 });
  expect(await run("sandbox fault clear 1")).toMatchObject({ code: 5, out: "" });
  expect((await run("sandbox fault list -o id")).out).toBe("2\n");
  await run("sandbox fault clear");
  expect(await run("sandbox fault list")).toMatchObject({ code: 0, out: "", err: "No faults.\n" });
});

test.each([
  ["", "--operation is required"],
  ["--operation getrentals --status 500", "did you mean getRental?"],
  ["--operation getRental", "--status or another effect is required"],
  ["--operation getRental --status 200", "--status must be at least 400"],
  ["--operation getRental --status many", "--status must be a number"],
  ["--operation getRental --delay 3", "--delay must be a duration"],
  ["--operation getRental --status 500 --times 0", "--times must be at least 1"],
  ["--operation getRental --delay 1s --retry-after 1s", "--retry-after requires a status"],
  ["--operation getRental --cut-stream-after 1 --garbage", "--cut-stream-after cannot be combined"],
  ["--operation getRental --status 500 --where rentalID=1", "did you mean rentalId?"],
  ["--operation getRental --status 500 --every 0", "--every must be at least 1"],
  ["--operation getRental --status 500 --rate 2", "--rate must be at most 1"],
  ["--operation getRental --status 500 --rate 0", "--rate must be more than 0"],
  ["--operation getRental --status 500 --seed 1", "--seed requires a rate"],
  ["--operation getRental --status 500 --every 2 --rate 0.5", "--every cannot be combined with a rate"],
  ["--operation getRental --reset --status 500 --times 0.5", "--times must be an integer"],
])("sandbox fault add %s is rejected", async (flags, message) => {
  const { run } = await createCli();
  const { code, err } = await run(`sandbox fault add ${flags}`);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect((await run("sandbox fault list -o json")).out).toBe("[]\n");
});

test("a fault can apply only to requests with a certain value of a field, and respond with its own page", async () => {
  const { run } = await createCli();
  const page = "--status 403 --body '<h1>No</h1>' --content-type text/html";
  const added = await run(
    `sandbox fault add --operation createVirtualMachineRental --where gpuCount=2 ${page} --times 9`,
  );
  expect(added.out).toContain("returns its own body as text/html; only with gpuCount=2");
  expect((await run(vm)).code).toBe(0);
  expect((await run("rentals create vm --gpus 2 --sandbox --yes")).code).toBe(4);
});

test("a fault can apply to every second call, or to a share of the calls, selected by a seed", async () => {
  const { run } = await createCli();
  await run("sandbox fault add --operation listStorageVolumes --status 403 --every 2");
  await run("sandbox fault add --operation getRental --status 403 --rate 0.25 --seed 7");
  const codes: number[] = [];
  for (let call = 0; call < 4; call += 1) codes.push((await run("volumes list --sandbox")).code);
  expect(codes).toEqual([0, 4, 0, 4]);
  expect((await run("sandbox fault list")).out).toMatchInlineSnapshot(`
    "ID  OPERATION           EFFECT                                    AFTER  TIMES  LEFT
    1   listStorageVolumes  returns 403; every 2 calls                    0      -     -
    2   getRental           returns 403; 25% of the calls, by seed 7      0      -     -
    "
  `);
});

test("the boots of new rentals can fail, be slow or never end, and `rentals wait` reports it", async () => {
  const { run } = await createCli();
  expect((await run("sandbox boot add --outcome failed --times 1")).code).toBe(0);
  await run("sandbox boot add --outcome slow --after 20m --label 'slow-*'");
  await run("sandbox boot add --outcome never --label never");
  expect((await run("sandbox boot list")).out).toMatchInlineSnapshot(`
    "ID  OUTCOME  AFTER (S)  LABEL   TIMES  LEFT
    1   failed           -  -           1     1
    2   slow          1200  slow-*      -     -
    3   never            -  never       -     -
    "
  `);
  await run("sandbox situation add quota --gpus 0");
  expect((await run(`${vm} --label refused`)).code).toBe(4);
  await run("sandbox situation clear");
  for (const label of ["first", "slow-1", "never", "usual"]) await run(`${vm} --label ${label}`);
  const wait = (id: number, more = "") => run(`rentals wait ${id} ${more} --sandbox`);
  expect(await wait(1001)).toMatchObject({ code: 7, err: expect.stringContaining("has failed") });
  const timeout = await wait(1002);
  expect(timeout).toMatchObject({ code: 8, err: expect.stringContaining("is running: it is Pending") });
  expect(await wait(1002)).toMatchObject({ code: 0 });
  expect(await wait(1003, "--wait-timeout 10h --interval 1h")).toMatchObject({ code: 8 });
  expect(await wait(1004)).toMatchObject({ code: 0, slept: [] });
  const listed = JSON.parse((await run("rentals list -o json --sandbox")).out);
  expect(listed.map(({ status }: { status: string }) => status)).toEqual([
    "Failed",
    "Running",
    "Pending",
    "Running",
  ]);
  expect(JSON.parse((await run("sandbox boot clear 2 -o json")).out)).toEqual({ cleared: 1 });
  expect(await run("sandbox boot clear 2")).toMatchObject({ code: 5, out: "" });
});

test.each([
  ["", "--outcome is required: one of slow, failed, never"],
  ["--outcome late", "--outcome must be one of slow, failed, never"],
  ["--outcome never --after 1m", '--after must be left out when outcome is "never"'],
  ["--outcome slow --times 0", "--times must be at least 1"],
])("sandbox boot add %s is rejected", async (flags, message) => {
  const { run } = await createCli();
  const { code, err } = await run(`sandbox boot add ${flags}`);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  expect((await run("sandbox boot list -o json")).out).toBe("[]\n");
});

test("a seed can set how its rentals boot", async () => {
  const { run } = await createCli();
  const rental = "rentalType: virtual-machine, gpuCount: 1";
  const stdin = `rentals: [{${rental}, boot: {outcome: failed, afterSeconds: 0}}, {${rental}, boot: {outcome: never}}]`;
  await run("sandbox seed - --yes", { stdin });
  const { out } = await run("rentals list -o json --sandbox");
  expect(JSON.parse(out)).toMatchObject([{ status: "Failed" }, { status: "Pending" }]);
  expect(out).not.toContain("outcome");
});

test("chat in the sandbox replies from a script, which can be shown and cleared", async () => {
  const { run, folder } = await createCli();
  const script = [
    { when: { message: "GPU" }, text: "An H100" },
    { json: { vram: 80 }, times: 2 },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify(script));
  expect((await run("sandbox chat script script.json")).out).toMatchInlineSnapshot(`
    "INDEX  WHEN               SENDS        TIMES  USED
    0      message has "GPU"  An H100          -     0
    1      any request        {"vram":80}      2     0
    "
  `);
  expect((await run("chat 'Which GPU?' --sandbox")).out).toBe("An H100\n");
  expect((await run("chat 'How much memory?' -m other --no-stream --sandbox")).out).toBe('{"vram":80}\n');
  expect(JSON.parse((await run("sandbox chat script show -o json")).out)).toMatchObject([
    { index: 0, times: null, used: 1, reply: script[0] },
    { index: 1, times: 2, used: 1, reply: script[1] },
  ]);
  expect(JSON.parse((await run("sandbox chat script clear -o json")).out)).toEqual({ cleared: 2 });
  expect(await run("sandbox chat script show")).toMatchObject({ out: "", err: "No chat script.\n" });
  expect((await run("chat Hi --sandbox")).out).toBe("sandbox-echo heard: Hi\n");
});

test("the error for an invalid chat script names the path and the line of the invalid value", async () => {
  const { run, folder } = await createCli();
  writeFileSync(join(folder, "script.jsonl"), '{"text": "a"}\n{"toolCalls": [{"nam": "x"}]}\n');
  const { code, err } = await run("sandbox chat script script.jsonl");
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("replies.1.toolCalls.0.nam") });
  expect(err).toContain("(line 2)");
  writeFileSync(join(folder, "empty.json"), "");
  expect((await run("sandbox chat script empty.json")).err).toContain("the chat script is empty");
});

test("gpuctl retries reads after faults, but not writes", async () => {
  const { run } = await createCli();
  await run("sandbox fault add --operation listStorageVolumes --status 429 --times 2 --retry-after 7s");
  const listed = await run("volumes list --sandbox -o json");
  expect(listed).toMatchObject({ code: 0, out: "[]\n" });
  expect(listed.requests).toHaveLength(3);
  expect(listed.slept.every((slept) => slept >= 7000)).toBe(true);
  await run("sandbox fault add --operation createVirtualMachineRental --status 500 --applied");
  const created = await run(vm);
  expect(created.code).toBe(10);
  expect(created.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect((await run("rentals list -o id --sandbox")).out).toBe("1001\n");
});

test.each([
  ["--reset --times 9", "volumes list --sandbox", 9],
  ["--garbage", "volumes list --sandbox", 7],
  ["--status 503 --times 9", "volumes list --sandbox", 7],
  ["--status 429 --times 9", "volumes list --sandbox", 9],
  ["--reset", vm, 10],
  ["--garbage", vm, 10],
  ["--cut-stream-after 2", "chat hello --sandbox", 9],
  ["--cut-stream-after 2 --reset", "chat hello --sandbox", 9],
])("with the fault %s, %s ends with exit code %i", async (fault, line, expected) => {
  const { run } = await createCli();
  await run(`sandbox fault add --operation '*' ${fault} --after ${line === vm ? 1 : 0}`);
  expect((await run(line)).code).toBe(expected);
});

const seed = "rentals:\n  - rentalType: virtual-machine\n    gpuCount: 2\n    label: seeded\n";

test("sandbox seed reads a file or stdin", async () => {
  const { run, folder } = await createCli();
  await run(vm);
  writeFileSync(join(folder, "seed.yaml"), seed);
  expect(JSON.parse((await run("sandbox seed seed.yaml --yes -o json")).out)).toMatchObject({
    rentals: { active: 1 },
  });
  expect(JSON.parse((await run("rentals list -o json --sandbox")).out)).toMatchObject([{ label: "seeded" }]);
  const stdin = JSON.stringify({ volumes: [{ label: "data", region: "eu-west-3", sizeInGb: 256 }] });
  expect((await run("sandbox seed - --yes", { stdin })).code).toBe(0);
  expect((await run("volumes list -o id --sandbox")).out).toBe("501\n");
});

test("the error for an invalid seed has the path and the line of each invalid value, and nothing changes", async () => {
  const { run } = await createCli();
  await run(vm);
  const stdin = `${seed}    customPorts: [0]\nvolumes: [{ label: a b, region: mars, sizeInGb: 1 }]\n`;
  const { code, out, err } = await run("sandbox seed - --yes", { stdin });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toMatchInlineSnapshot(`
    "Error: 6 invalid values
      rentals.0.customPorts.0 must be at least 1 (line 5)
      volumes.0.region must be one of us-central-1, us-central-2, eu-north-2, eu-west-2, eu-north-4, eu-north-5, us-east-1, us-east-2, ca-east-3, eu-north-6, eu-north-7, eu-north-8, ca-west-1, ca-east-1, us-central-3, us-southeast-1, me-central-1, ca-east-2, eu-west-1, us-southeast-2, jp-east-1, us-southeast-3, eu-west-5, us-east-3, uk-central-3, uk-southeast-3, eu-southwest-3, eu-southwest-3-1, eu-west-3, eu-west-4 (line 6)
      volumes.0.label must have at least 4 characters (line 6)
      volumes.0.label must match /^[a-zA-Z0-9_-]+$/ (line 6)
      volumes.0.sizeInGb must be at least 256 (line 6)
      volumes.0.sizeInGb must be a multiple of 256 (line 6)
    Nothing was changed.
    "
  `);
  expect((await run("rentals list -o id --sandbox")).out).toBe("1001\n");
});

test.each(["sandbox seed nowhere.yaml --yes", "sandbox restore nowhere.json --yes"])(
  "%s is an error if the file does not exist",
  async (line) => {
    const { run } = await createCli();
    const { code, err } = await run(line);
    expect(code).toBe(2);
    expect(err).toContain("no such file");
  },
);

test.each(["sandbox seed -", "sandbox restore -"])("%s requires --yes without a terminal", async (line) => {
  const { run } = await createCli();
  await run(vm);
  const { code, err } = await run(line, { stdin: "" });
  expect(code).toBe(2);
  expect(err).toContain("--yes is required");
  expect((await run("rentals list -o id --sandbox")).out).toBe("1001\n");
});

test("a key of the seed is used if GPUCTL_API_KEY is that key", async () => {
  const { run } = await createCli();
  const stdin =
    "keys: [{ value: key-of-a-reader, access: read-only }, { value: revoked-key, access: revoked }]";
  await run("sandbox seed - --yes", { stdin });
  const env = (key: string) => ({ env: { GPUCTL_API_KEY: key } });
  expect((await run(vm, env("key-of-a-reader"))).code).toBe(4);
  expect((await run("rentals list --sandbox", env("revoked-key"))).code).toBe(3);
  expect((await run("rentals list --sandbox", env("key-of-another-service"))).code).toBe(0);
});

test("a snapshot can be saved and restored, and replaces a file only with --force", async () => {
  const { run, folder } = await createCli();
  await run(vm);
  const saved = await run("sandbox snapshot state.json -o json");
  expect(JSON.parse(saved.out)).toEqual({ path: join(folder, "state.json"), bytes: expect.any(Number) });
  await run(vm);
  const again = await run("sandbox snapshot state.json");
  expect(again).toMatchObject({ code: 2, out: "" });
  expect(again.err).toContain("the file already exists; use --force to replace it");
  expect(JSON.parse((await run("sandbox restore state.json --yes -o json")).out)).toMatchObject({
    rentals: { active: 1 },
  });
  await run(vm);
  expect((await run("sandbox snapshot state.json --force")).code).toBe(0);
  await run("sandbox reset --yes");
  await run("sandbox restore - --yes", { stdin: readFileSync(join(folder, "state.json")) });
  expect((await run("rentals list -o id --sandbox")).out).toBe("1001\n1002\n");
});

test("a snapshot of more than 64 MiB can be restored", async () => {
  const { run, folder } = await createCli();
  await run(vm);
  await run("sandbox snapshot state.json");
  await run("sandbox reset --yes");
  appendFileSync(join(folder, "state.json"), " ".repeat(65 * 1024 * 1024));
  expect(await run("sandbox restore state.json --yes -o json")).toMatchObject({ code: 0 });
  expect(JSON.parse((await run("rentals list --sandbox -o json")).out)).toHaveLength(1);
});

test("sandbox restore rejects a file that is not a snapshot", async () => {
  const { run, folder } = await createCli();
  await run(vm);
  const notUtf8 = Buffer.from([0xff, 0xfe, 0x00]);
  for (const [stdin, problem] of [
    ["{}", "this is not a snapshot of a sandbox"],
    [notUtf8, "Error: stdin is not valid UTF-8"],
  ] as const) {
    const { code, err } = await run("sandbox restore - --yes", { stdin });
    expect(code).toBe(2);
    expect(err).toContain(problem);
  }
  writeFileSync(join(folder, "state.json"), notUtf8);
  const ofFile = await run("sandbox restore state.json --yes");
  expect(ofFile).toMatchObject({
    code: 2,
    err: expect.stringContaining("Error: state.json is not valid UTF-8"),
  });
  expect((await run("rentals list -o id --sandbox")).out).toBe("1001\n");
});

test.each([
  "sandbox clock freeze",
  "sandbox clock advance 1d",
  "sandbox clock set 2038-01-01",
  "sandbox clock resume",
  "sandbox fault add --operation getRental --garbage",
  "sandbox fault clear",
  "sandbox boot add --outcome never",
  "sandbox boot clear",
  "sandbox chat script script.json",
  "sandbox chat script clear",
  "sandbox seed seed.yaml --yes",
  "sandbox restore state.json --yes",
  "sandbox snapshot other.json",
])("%s --dry-run changes nothing", async (line) => {
  const { run, folder, sandbox } = await createCli();
  writeFileSync(join(folder, "seed.yaml"), seed);
  await run("sandbox snapshot state.json");
  await run(vm);
  writeFileSync(join(folder, "script.json"), '[{"text": "new"}]');
  await run("sandbox fault add --operation generateAudio --garbage");
  await run("sandbox boot add --outcome slow");
  await run("sandbox chat script -", { stdin: "- text: old" });
  const before = sandbox.snapshot();
  const { code, err } = await run(`${line} --dry-run`);
  expect({ code, err }).toEqual({ code: 0, err: "Nothing was done: this is a dry run.\n" });
  expect(sandbox.snapshot()).toEqual(before);
  expect(existsSync(join(folder, "other.json"))).toBe(false);
});

test("sandbox requests lists the requests with their errors", async () => {
  const { run } = await createCli();
  expect(await run("sandbox requests")).toMatchObject({ code: 0, out: "", err: "No requests.\n" });
  await run("rentals get 9 --sandbox");
  await run("rentals create vm --gpus 0 --sandbox --yes --no-validate");
  expect((await run("sandbox requests")).out).toMatchInlineSnapshot(`
    "TIME                      METHOD  PATH                                   STATUS  FAULT  ERROR        PROBLEMS
    2026-11-20T12:00:00.000Z  GET     /v2/on-demand/rental?rentalId=9           200  -      -            -
    2026-11-20T12:00:00.000Z  GET     /v2/on-demand/virtual-machine-rentals     200  -      -            -
    2026-11-20T12:00:00.000Z  POST    /v2/on-demand/virtual-machine-rentals     400  -      BAD_REQUEST  gpuCount
    "
  `);
  expect(JSON.parse((await run("sandbox requests --limit 1 -o json")).out)).toMatchObject([
    { method: "POST", status: 400, code: "BAD_REQUEST", issues: ["gpuCount"] },
  ]);
});

test("the logged requests can be filtered, counted, checked and cleared", async () => {
  const { run } = await createCli();
  await run(vm);
  await run("rentals create vm --gpus 0 --label odd --sandbox --yes --no-validate");
  const creates = "--operation createVirtualMachineRental";
  const [failed] = JSON.parse((await run(`sandbox requests ${creates} --status 4xx -o json`)).out);
  expect(failed).toMatchObject({ key: "full", body: { gpuCount: 0, label: "odd" } });
  expect((await run(`sandbox requests ${creates} --count`)).out).toBe("2\n");
  expect((await run("sandbox requests --where label=odd --count -o json")).out).toContain('"count": 1');
  expect(await run(`sandbox requests expect ${creates} --where gpuCount=0 --count 1`)).toMatchObject({
    code: 0,
    out: expect.stringContaining("exactly 1 request with operation createVirtualMachineRental, gpuCount=0"),
  });
  const missing = await run(`sandbox requests expect ${creates} --where gpuCount=8 --where label=even`);
  expect(missing).toMatchObject({ code: 1, out: "" });
  expect(missing.err).toMatchInlineSnapshot(`
    "Error: expected at least 1 request with operation createVirtualMachineRental, gpuCount=8, label=even, but 0 of 4 logged requests match
      request 4: POST /v2/on-demand/virtual-machine-rentals, status 400; gpuCount is 0; label is "odd"
      request 2: POST /v2/on-demand/virtual-machine-rentals, status 200; gpuCount is 1; label is missing
    "
  `);
  const { err } = await run(`sandbox requests expect ${creates} --count 0 -o json`);
  expect(JSON.parse(err)).toMatchObject({ error: { code: "EXPECTATION_FAILED", exitCode: 1 } });
  expect((await run("sandbox requests clear --status 4xx -o json")).out).toContain('"cleared": 1');
  expect((await run("sandbox requests --count --status 4xx")).out).toBe("0\n");
});

test.each([
  ["--where gpuCount", "--where must be FIELD=VALUE"],
  ["--where a=1 --where a=2", "--where names the field a twice"],
  ["--since yesterday", "--since must be a time"],
  ["--operation getrental", "--operation must be the ID of an operation"],
  ["--count 1 --at-least 1", "--count cannot be combined"],
])("sandbox requests expect %s is rejected", async (flags, message) => {
  const { run } = await createCli();
  const { code, err } = await run(`sandbox requests expect ${flags}`);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

test("only the error of a command that changes something says that nothing was changed", async () => {
  const { run } = await createCli();
  const hint = "Nothing was changed.";
  for (const command of ["requests", "requests expect"]) {
    expect((await run(`sandbox ${command} --operation x`)).err).not.toContain(hint);
  }
  expect((await run("sandbox requests clear --operation x")).err).toContain(hint);
});

test("a dry run of a clear command counts what the command would remove", async () => {
  const { run } = await createCli();
  const counted = async (line: string) => {
    const { code, out, err } = await run(`sandbox ${line} --dry-run -o json`);
    expect({ line, code, err }).toEqual({ line, code: 0, err: expect.stringContaining("dry run") });
    return JSON.parse(out).wouldClear;
  };
  await run("rentals list --sandbox");
  await run("sandbox boot add --outcome never");
  await run("sandbox boot add --outcome failed");
  await run("sandbox fault add --operation getRental --garbage");
  await run("sandbox situation add capacity");
  expect(await counted("requests clear")).toBe(2);
  expect(await counted("requests clear --operation listBareMetalRentals")).toBe(1);
  expect(await counted("boot clear")).toBe(2);
  expect(await counted("boot clear 2")).toBe(1);
  expect(await counted("fault clear")).toBe(1);
  expect(await counted("situation clear 1")).toBe(1);
  expect(await counted("engine clear image")).toBe(0);
  expect(await counted("chat script clear")).toBe(0);
  expect((await run("sandbox boot clear")).out).toContain("cleared:  2");
  expect(await run("sandbox fault clear 7 --dry-run")).toMatchObject({
    code: 5,
    err: expect.stringContaining("fault 7 does not exist"),
  });
});

test.each(["0", "1.5", "all"])("sandbox requests --limit %s is rejected", async (limit) => {
  const { run } = await createCli();
  const { code, err } = await run(`sandbox requests --limit ${limit}`);
  expect(code).toBe(2);
  expect(err).toContain("--limit must be");
});
