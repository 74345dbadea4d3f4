import { expect, test } from "vitest";
import type { AssumedId } from "../../src/sandbox/assumed/index.ts";
import { openSandbox } from "./harness.ts";

const hour = 3_600_000;
const key = "key-of-grace-hopper";

const seed = {
  balanceCents: 10_000,
  rentals: [{ rentalType: "virtual-machine", gpuCount: 1, label: "ada" }],
  volumes: [{ label: "ada-data", region: "us-central-1", sizeInGb: 256 }],
  accounts: [
    {
      user: { name: "Grace", email: "grace@example.com" },
      balanceCents: 500,
      keys: [{ value: key }, { value: "grace-reads-only", access: "read-only" }],
      sshKeys: [{ name: "grace", publicKey: "ssh-ed25519 AAAAC3Nza" }],
      rentals: [{ rentalType: "virtual-machine", gpuCount: 2, label: "grace", id: 1001 }],
      volumes: [{ label: "grace-data", region: "us-central-1", sizeInGb: 512 }],
    },
  ],
};

async function seeded(more: object = {}) {
  const sandbox = await openSandbox();
  await sandbox.seed(JSON.stringify({ ...seed, ...more }));
  const balance = async (secret: string = sandbox.keys.full) => {
    const { body } = await sandbox.assumed("getBalance", {}, secret);
    return Object(body).balanceCents;
  };
  return { ...sandbox, balance };
}

test("each user has keys, rentals, volumes, SSH keys and a balance of their own", async () => {
  const sandbox = await seeded();
  const json = async (id: Parameters<typeof sandbox.call>[0], secret: string, input: object = {}) =>
    (await sandbox.call(id, input, secret)).json();
  const { full } = sandbox.keys;
  // The seed sets the ID of Grace's rental to 1001, so Ada's rental, for which it sets no ID, gets 1002.
  expect(await json("listVirtualMachineRentals", full)).toMatchObject([{ id: 1002, label: "ada" }]);
  expect(await json("listVirtualMachineRentals", key)).toMatchObject([{ id: 1001, label: "grace" }]);
  expect(await json("getRental", key, { rentalId: 1002 })).toBe(null);
  expect(await json("listStorageVolumes", full)).toMatchObject([{ label: "ada-data" }]);
  expect(await json("listStorageVolumes", "grace-reads-only")).toMatchObject([{ label: "grace-data" }]);
  expect(await json("updateCurrentUser", key)).toMatchObject({
    user: { id: "sandbox-user-2", name: "Grace" },
  });
  expect(await json("updateCurrentUser", full)).toMatchObject({ user: { name: "Sandbox User" } });
  const of = async (id: AssumedId, secret: string) => (await sandbox.assumed(id, {}, secret)).body;
  expect(await of("listSshKeys", full)).toEqual([]);
  expect(await of("listSshKeys", key)).toMatchObject([{ name: "grace" }]);
  expect(await of("listApiKeys", key)).toMatchObject([{ access: "full" }, { access: "read-only" }]);
  expect([await sandbox.balance(), await sandbox.balance(key)]).toEqual([10_000, 500]);
  expect(sandbox.status()).toMatchObject({ rentals: { active: 2 }, volumes: 2, balanceCents: 10_000 });
});

test("a user cannot change what belongs to another user", async () => {
  const sandbox = await seeded();
  const volumeId = (await sandbox.ask("listStorageVolumes"))[0]?.id;
  const terminated = await sandbox.assumed("terminateVirtualMachineRental", { rentalId: 1002 }, key);
  expect(terminated.status).toBe(400);
  const attach = { storageVolumeId: volumeId, rentalIds: [1001] };
  expect((await sandbox.call("attachStorageVolume", attach, key)).status).toBe(400);
  await sandbox.call("deleteCurrentUser", {}, key);
  expect((await sandbox.call("listStorageVolumes", {}, key)).status).toBe(401);
  expect(sandbox.status()).toMatchObject({ rentals: { active: 1, ended: 1 }, userExists: true });
  expect(await sandbox.ask("listVirtualMachineRentals")).toMatchObject([{ id: 1002, status: "Pending" }]);
});

test("users share the capacity, and each has a quota and a prepaid balance of their own", async () => {
  const sandbox = await seeded({ situations: [{ kind: "capacity", gpus: 4 }] });
  const rent = async (gpuCount: number, secret: string) =>
    (await sandbox.call("createVirtualMachineRental", { gpuCount }, secret)).status;
  expect(await rent(2, key)).toBe(400);
  expect(await rent(1, key)).toBe(200);
  sandbox.situations.clear();
  sandbox.situations.add({ kind: "quota", gpus: 3 });
  expect(await rent(1, key)).toBe(403);
  expect(await rent(1, sandbox.keys.full)).toBe(200);
  sandbox.situations.clear();
  sandbox.situations.add({ kind: "prepaid" });
  sandbox.advance(hour);
  expect(sandbox.status()).toMatchObject({ rentals: { active: 2, ended: 2 } });
  expect(await sandbox.balance(key)).toBeLessThanOrEqual(0);
  expect(await sandbox.balance()).toBeGreaterThan(9000);
});

test("a picture is paid for by the user who requested it", async () => {
  const sandbox = await seeded({ situations: [{ kind: "picture-prices" }] });
  const picture = { model_name: "SD1.5", prompt: "dunes", steps: 50, width: 2048, height: 2048 };
  const before = [await sandbox.balance(), await sandbox.balance(key)];
  expect((await sandbox.call("generateImage", picture, key)).status).toBe(200);
  const [own = 0, graces = 0] = [await sandbox.balance(), await sandbox.balance(key)];
  expect(own).toBe(before[0]);
  expect(graces).toBeLessThan(Number(before[1]));
});

test("a planned interruption can end a rental of any user, and a prepaid balance is set for every user", async () => {
  const sandbox = await seeded();
  sandbox.situations.add({ kind: "interruption", rentalId: 1001, afterSeconds: 1 });
  sandbox.situations.add({ kind: "prepaid", balanceCents: 42 });
  expect([await sandbox.balance(), await sandbox.balance(key)]).toEqual([42, 42]);
  sandbox.advance(60_000);
  expect(await (await sandbox.call("listVirtualMachineRentals", {}, key)).json()).toEqual([]);
});

test.each([
  ["cleared", (sandbox: Awaited<ReturnType<typeof seeded>>) => sandbox.situations.clear()],
  ["replaced by a scenario", (sandbox: Awaited<ReturnType<typeof seeded>>) => sandbox.scenario("slow-boot")],
  [
    "replaced by a new balance",
    (sandbox: Awaited<ReturnType<typeof seeded>>) =>
      sandbox.situations.add({ kind: "prepaid", balanceCents: 100_000 }),
  ],
])(
  "a rental ends when a prepaid balance is used up, even if the situation is %s later",
  async (_, change) => {
    const sandbox = await seeded();
    sandbox.situations.add({ kind: "prepaid", balanceCents: 42 });
    sandbox.advance(3_600_000);
    await change(sandbox);
    expect(await (await sandbox.call("listVirtualMachineRentals", {}, key)).json()).toEqual([]);
  },
);

test("a snapshot contains every user", async () => {
  const sandbox = await seeded();
  const text = JSON.stringify(sandbox.snapshot());
  sandbox.reset();
  expect((await sandbox.call("listStorageVolumes", {}, key)).status).toBe(401);
  sandbox.restore(text);
  expect((await sandbox.call("listStorageVolumes", {}, key)).status).toBe(200);
});

test.each([
  [{ accounts: [{ user: { name: "Grace" } }] }, "accounts.0.keys"],
  [{ accounts: [{ keys: [] }] }, "accounts.0.keys"],
  [{ accounts: [{ keys: [{ value: "gpuctl-sandbox-full" }] }] }, "accounts.0.keys.0.value"],
  [{ keys: [{ value: key }], accounts: [{ keys: [{ value: key }] }] }, "accounts.0.keys.0.value"],
  [
    {
      rentals: [{ ...seed.rentals[0], id: 7 }],
      accounts: [{ keys: [{ value: key }], rentals: [{ ...seed.rentals[0], id: 7 }] }],
    },
    "accounts.0.rentals.0.id",
  ],
  [
    {
      rentals: [{ ...seed.rentals[0], id: 7 }],
      accounts: [{ keys: [{ value: key }], volumes: [{ ...seed.volumes[0], rentalIds: [7] }] }],
    },
    "accounts.0.volumes.0.rentalIds",
  ],
])("a seed with invalid accounts is rejected: %j", async (wrong, path) => {
  const sandbox = await openSandbox();
  const before = sandbox.snapshot();
  await expect(sandbox.seed(JSON.stringify(wrong))).rejects.toThrow(path);
  expect(sandbox.snapshot()).toEqual(before);
});
