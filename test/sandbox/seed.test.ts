import { describe, expect, test } from "vitest";
import { openSandbox, start } from "./harness.ts";

const day = 24 * 3600 * 1000;
const at = (ms: number) => new Date(start + ms).toISOString();

const full = `
clock: { now: "2027-01-10T00:00:00Z", frozen: true }
user: { name: Ada, onboardedFor: research }
balanceCents: 5000
keys:
  - { value: key-of-a-writer, access: full }
  - { value: key-of-a-reader, access: read-only }
  - { value: revoked-key, access: revoked }
rentals:
  - rentalType: virtual-machine
    gpuCount: 2
    label: mine
    createdAt: "2027-01-09T23:59:58Z"
  - rentalType: bare-metal
    id: 7
    gpuCount: 16
    networkType: infiniband
    createdAt: "2027-01-01T00:00:00Z"
  - rentalType: virtual-machine
    gpuCount: 1
    termType: reserved
    termPeriodDays: 30
    createdAt: "2027-01-02T00:00:00+02:00"
  - rentalType: virtual-machine
    gpuCount: 1
    createdAt: "2027-01-02T00:00:00Z"
    terminatedAt: "2027-01-02T01:00:02Z"
volumes:
  - { label: data, region: eu-west-3, sizeInGb: 256, rentalIds: [7], createdAt: "2027-01-03T00:00:00Z" }
  - { label: more, region: eu-west-3, sizeInGb: 512, id: 42 }
`;

test("a seed defines the state", async () => {
  const sandbox = await openSandbox();
  await sandbox.seed(full);
  expect(sandbox.status()).toMatchObject({
    now: "2027-01-10T00:00:00.000Z",
    frozen: true,
    rentals: { active: 3, ended: 1 },
    volumes: 2,
    balanceCents: 5000,
  });
  expect(await sandbox.ask("listVirtualMachineRentals")).toMatchObject([
    { id: 1001, label: "mine", status: "Running", startedAt: "2027-01-10T00:00:00.000Z" },
    { id: 1002, termType: "reserved", reservedUntil: "2027-01-31T22:00:02.000Z" },
  ]);
  expect(await sandbox.ask("listBareMetalRentals")).toMatchObject([{ id: 7, storageVolumeIds: [501] }]);
  expect(await sandbox.ask("listRentalHistory")).toMatchObject([{ id: 1003, billedCents: 200 }]);
  expect(await sandbox.ask("listStorageVolumes")).toEqual([
    {
      id: 42,
      label: "more",
      region: "eu-west-3",
      sizeInGb: 512,
      createdAt: "2027-01-10T00:00:00.000Z",
      rentalIds: [],
    },
    {
      id: 501,
      label: "data",
      region: "eu-west-3",
      sizeInGb: 256,
      createdAt: "2027-01-03T00:00:00.000Z",
      rentalIds: [7],
    },
  ]);
  expect(await sandbox.ask("updateCurrentUser", {})).toMatchObject({
    user: { name: "Ada", onboardedFor: "research", email: "sandbox@example.com" },
  });
});

test("each key of a seed has the access that the seed gives it", async () => {
  const sandbox = await openSandbox();
  await sandbox.seed(full);
  const status = async (key: string) => [
    (await sandbox.call("listStorageVolumes", {}, key)).status,
    (await sandbox.call("requestReservation", { gpuCount: 8 }, key)).status,
  ];
  expect(await status("key-of-a-writer")).toEqual([200, 200]);
  expect(await status("key-of-a-reader")).toEqual([200, 403]);
  expect(await status("revoked-key")).toEqual([401, 401]);
  expect(await status(sandbox.keys.full)).toEqual([200, 200]);
});

test("a named key and an SSH key of a seed can be used", async () => {
  const sandbox = await openSandbox();
  await sandbox.seed(`
keys: [{ value: key-of-the-builder, name: builder }, { value: revoked-key, access: revoked }]
sshKeys: [{ name: ada, publicKey: ssh-ed25519 AAAAC3Nza ada@example.com }]
`);
  const key = "key-of-the-builder";
  expect((await sandbox.assumed("listApiKeys", {}, key)).body).toMatchObject([
    { id: 1, access: "full" },
    { id: 2, access: "read-only" },
    { id: 3, name: "builder", access: "full", lastFour: "lder", createdAt: at(0) },
  ]);
  const ada = { id: 1, name: "ada", publicKey: "ssh-ed25519 AAAAC3Nza ada@example.com", createdAt: at(0) };
  expect((await sandbox.assumed("listSshKeys", {}, key)).body).toEqual([ada]);
  const rent = async (id: number) => {
    const response = await sandbox.call(
      "createVirtualMachineRental",
      { gpuCount: 1, sshPublicKeyIds: [id] },
      key,
    );
    return { status: response.status, body: await response.json() };
  };
  expect(await rent(1)).toMatchObject({ status: 200, body: { sshPublicKeyIds: [1] } });
  expect(await rent(2)).toMatchObject({
    status: 400,
    body: { issues: [{ path: ["sshPublicKeyIds"], message: "no SSH key has the id 2" }] },
  });
});

test("a created key has a value that no key of the seed has", async () => {
  const sandbox = await openSandbox();
  const { apiKey } = Object((await sandbox.assumed("createApiKey", { name: "first" })).body);
  await sandbox.seed(`keys: [{ value: ${apiKey} }]`);
  const made = await sandbox.assumed("createApiKey", { name: "second" });
  expect(made.status).toBe(200);
  expect(Object(made.body).apiKey).not.toBe(apiKey);
});

test("usage is paged, whatever IDs a seed gives its rentals", async () => {
  const sandbox = await openSandbox();
  const ids = [7, 2 ** 52 - 2, 2 ** 52 - 1];
  await sandbox.seed(
    JSON.stringify({ rentals: ids.map((id) => ({ rentalType: "virtual-machine", gpuCount: 1, id })) }),
  );
  let cursor: string | undefined;
  for (const [index, rentalId] of ids.entries()) {
    const { body } = await sandbox.assumed("listUsage", { limit: 1, ...(cursor && { cursor }) });
    const nextCursor = index < 2 ? String(rentalId) : null;
    expect(body).toMatchObject({ items: [{ rentalId }], nextCursor });
    cursor = String(rentalId);
  }
});

test("the ID of a rental in a seed must leave room for new IDs", async () => {
  const sandbox = await openSandbox();
  const rental = { rentalType: "virtual-machine", gpuCount: 1, id: Number.MAX_SAFE_INTEGER };
  await expect(sandbox.seed(JSON.stringify({ rentals: [rental] }))).rejects.toThrow(
    "rentals.0.id must be less than",
  );
});

test("a rental of a seed cannot have an SSH key that does not exist", async () => {
  const sandbox = await openSandbox();
  const rental = { rentalType: "virtual-machine", gpuCount: 1, sshPublicKeyIds: [9] };
  await expect(sandbox.seed(JSON.stringify({ rentals: [rental] }))).rejects.toThrow(
    "no SSH key has the id 9",
  );
});

test("a seed replaces all earlier state", async () => {
  const sandbox = await openSandbox();
  await sandbox.seed(full);
  sandbox.faults.add({ operation: "getRental", status: 500 });
  await sandbox.seed("rentals: [{ rentalType: virtual-machine, gpuCount: 1 }]");
  expect(sandbox.clock.show()).toEqual({ now: at(0), frozen: false, offsetMs: 0 });
  expect(await sandbox.ask("listVirtualMachineRentals")).toMatchObject([
    { id: 1001, status: "Pending", createdAt: at(0) },
  ]);
  expect(sandbox.status()).toMatchObject({ volumes: 0, faults: 0, rentals: { active: 1, ended: 0 } });
  expect((await sandbox.call("listStorageVolumes", {}, "key-of-a-writer")).status).toBe(401);
  expect(sandbox.requests.list({ limit: 50 }).map(({ number }) => number)).toEqual([1, 2]);
});

test("a seed can be JSON, and an empty map describes the initial state", async () => {
  const sandbox = await openSandbox();
  await sandbox.seed(JSON.stringify({ rentals: [{ rentalType: "virtual-machine", gpuCount: 1 }] }));
  expect(sandbox.status().rentals.active).toBe(1);
  await sandbox.seed("{}");
  expect(sandbox.status().rentals.active).toBe(0);
});

test.each(["", "\n", "# nothing"])("an empty seed is rejected, and nothing changes: %j", async (text) => {
  const sandbox = await openSandbox();
  await sandbox.seed("rentals: [{ rentalType: virtual-machine, gpuCount: 1 }]");
  await expect(sandbox.seed(text)).rejects.toThrow("the seed is empty; {} describes the initial state");
  expect(sandbox.status().rentals.active).toBe(1);
});

test("the clock runs on from the time in the seed", async () => {
  const sandbox = await openSandbox();
  await sandbox.seed('clock: { now: "2030-01-01T00:00:00Z" }');
  sandbox.advance(day);
  expect(sandbox.clock.show()).toMatchObject({ now: "2030-01-02T00:00:00.000Z", frozen: false });
});

test("a rental whose term ended before its terminatedAt counts as terminated at the end of the term", async () => {
  const sandbox = await openSandbox();
  await sandbox.seed(`rentals:
  - { rentalType: virtual-machine, gpuCount: 1, termType: reserved, termPeriodDays: 1, convertToOnDemandOnExpiry: false,
      createdAt: "${at(-10 * day)}", terminatedAt: "${at(-2 * day)}" }`);
  expect(await sandbox.ask("listRentalHistory")).toMatchObject([
    { terminatedAt: at(-9 * day + 2000), billedCents: 4800 },
  ]);
});

test.each([
  [
    "rentals:\n  - rentalType: virtual-machine\n    gpuCount: many",
    "rentals.0.gpuCount must be a number (line 3)",
  ],
  [
    "rentals:\n  - rentalType: virtual-machine\n    gpuCount: 0",
    "rentals.0.gpuCount must be a whole number from 1 to 4096 (line 3)",
  ],
  ["rentals:\n  - rentalType: bare-metal\n    gpuCount: 8", "rentals.0.networkType is required (line 2)"],
  ["rentals:\n  - rentalType: container\n    gpuCount: 8", "rentals.0.rentalType must be"],
  [
    "rentals:\n  - rentalType: virtual-machine\n    gpuCount: 1\n    gpus: 2",
    "rentals.0.gpus is not a field of a seed (line 4)",
  ],
  ["rental: []", "rental is not a field of a seed (line 1)"],
  ["clock: { now: tomorrow }", "clock.now must be a date-time"],
  [
    "volumes: [{ label: data, region: eu-west-3, sizeInGb: 300 }]",
    "volumes.0.sizeInGb must be a multiple of 256 (line 1)",
  ],
  [
    "volumes: [{ label: data, region: eu-west-3, sizeInGb: 256, rentalIds: [9] }]",
    "volumes.0.rentalIds: no active rental has the id 9 (line 1)",
  ],
  [
    "volumes: [{ label: data, region: eu-west-3, sizeInGb: 256, id: 3 }, { label: more, region: eu-west-3, sizeInGb: 256, id: 3 }]",
    "volumes.1.id must be unique, but 3 is used twice",
  ],
  ["keys: [{ value: gpuctl-sandbox-full }]", "keys.0.value must be unique, but another key has this value"],
  [
    "keys: [{ value: key-of-mine }, { value: key-of-mine }]",
    "keys.1.value must be unique, but another key has this value",
  ],
  [
    `keys: [{ value: key-of-mine, name: ${"x".repeat(256)} }]`,
    "keys.0.name must have at most 255 characters (line 1)",
  ],
  ["keys:\n  - value: key-of-mine\n    name: ''", "keys.0.name must have at least 1 character (line 3)"],
  ["a: &a 1\nb: *c", "the seed cannot be read: Unresolved alias"],
  ["---\nuser: {}\n---\nuser: {}", "the seed is not valid YAML or JSON"],
  ["__proto__: 1", "__proto__"],
  ["keys: [{ value: short }]", "keys.0.value must have at least 8 characters"],
  [
    "rentals: [{ rentalType: virtual-machine, gpuCount: 1, createdAt: '2099-01-01T00:00:00Z' }]",
    "rentals.0.createdAt must not be later than the sandbox's time",
  ],
  [
    "rentals: [{ rentalType: virtual-machine, gpuCount: 1, createdAt: '2026-01-02T00:00:00Z', terminatedAt: '2026-01-01T00:00:00Z' }]",
    "rentals.0.terminatedAt must not be before createdAt",
  ],
  ["rentals: [", "the seed is not valid YAML or JSON"],
  ["[1, 2]", "the seed must be a map"],
  ["a: 1\na: 2", "the seed has the key a twice in a map, on line 2"],
])("the seed %j is rejected, and nothing changes", async (text, message) => {
  const sandbox = await openSandbox();
  await sandbox.seed(full);
  const before = sandbox.snapshot();
  await expect(sandbox.seed(text)).rejects.toThrow(message);
  expect(sandbox.snapshot()).toEqual(before);
});

test.each([
  [
    "JSON",
    150_000,
    (names: readonly string[]) => JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
  ],
  ["YAML", 5_000, (names: readonly string[]) => names.map((name) => `${name}: 1\n`).join("")],
] as const)(
  "a seed of %s with %i unknown fields is rejected, and the error names the first ones",
  async (_, length, written) => {
    const sandbox = await openSandbox();
    const text = written(Array.from({ length }, (__, index) => `k${index}`));
    const error: unknown = await sandbox.seed(text).catch((cause: unknown) => cause);
    expect(String(error)).toMatch(new RegExp(`k0 .*; has ${length - 100} more problems$`));
  },
);

test("the error for a seed with 101 problems lists 100, and says in the singular that there is 1 more", async () => {
  const sandbox = await openSandbox();
  const names = Array.from({ length: 101 }, (_, index) => `k${index}`);
  const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
  await expect(sandbox.seed(text)).rejects.toThrow(/; has 1 more problem$/);
});

describe("a seed that is too large for YAML", () => {
  const rentals = Array.from({ length: 6000 }, () => ({ rentalType: "virtual-machine", gpuCount: 1 }));
  const fields = ["rentalType: virtual-machine", "gpuCount: 1"];

  test.each([
    ["many rentals", `rentals:\n${`  - {${fields.join(", ")}}\n`.repeat(rentals.length)}`],
    ["many rentals in block style", `rentals:\n${`  - ${fields.join("\n    ")}\n`.repeat(rentals.length)}`],
    ["many errors", `rentals: [${" \t,".repeat(40_000)}]`],
    ["a long text of many lines", `user: "${"a\n ".repeat(400_000)}"`],
  ])("because of %s is refused before it is parsed", async (_, text) => {
    const sandbox = await openSandbox();
    const before = sandbox.snapshot();
    await expect(sandbox.seed(text)).rejects.toThrow(
      "the seed is too large for YAML: it has more than 50000 tokens or 1 MiB. Write it as JSON",
    );
    expect(sandbox.snapshot()).toEqual(before);
  });

  test("is accepted as JSON", async () => {
    const sandbox = await openSandbox();
    await sandbox.seed(JSON.stringify({ rentals }, null, 2));
    expect(sandbox.status().rentals.active).toBe(rentals.length);
  });

  test("is accepted as JSON with a byte order mark", async () => {
    const sandbox = await openSandbox();
    await sandbox.seed(`\ufeff${JSON.stringify({ rentals })}`);
    expect(sandbox.status().rentals.active).toBe(rentals.length);
  });

  const asYaml = "the seed is too large for YAML: it has more than 50000 tokens or 1 MiB. Write it as JSON";

  const inFlowStyle = (json: string) => json.replaceAll('"', "").replaceAll(":", ": ");

  test.each([
    ["and not valid JSON", (json: string) => json.slice(0, -1)],
    ["but valid YAML in flow style", inFlowStyle],
    ["but valid YAML in flow style with a byte order mark", (json: string) => `\ufeff${inFlowStyle(json)}`],
  ])("%s is refused as too large, with the error of the JSON parser", async (_, change) => {
    const sandbox = await openSandbox();
    const error: unknown = await sandbox.seed(change(JSON.stringify({ rentals }))).catch((cause) => cause);
    expect(String(error)).toContain(`${asYaml}. As JSON, it has the error: Expected `);
  });

  test("and has a key twice is refused because of that key", async () => {
    const sandbox = await openSandbox();
    const json = JSON.stringify({ rentals }).replace("{", '{"rentals":[],');
    await expect(sandbox.seed(json)).rejects.toThrow(/the seed has a key twice in a map$/);
  });
});

test("all errors are reported together", async () => {
  const sandbox = await openSandbox();
  const text =
    "rentals:\n- { rentalType: virtual-machine, gpuCount: 0 }\n- { rentalType: virtual-machine, gpuCount: 0.5 }";
  await expect(sandbox.seed(text)).rejects.toMatchObject({
    issues: [{ path: ["rentals", 0, "gpuCount"] }, { path: ["rentals", 1, "gpuCount"] }],
  });
});
