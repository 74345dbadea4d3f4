import { expect, test } from "vitest";
import { openSandbox, start } from "./harness.ts";

const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

test("a virtual machine boots, then runs, and is reachable from then on", async () => {
  const sandbox = await openSandbox();
  const created = await sandbox.ask("createVirtualMachineRental", { gpuCount: 2 });
  expect(created).toMatchObject({
    id: 1001,
    rentalType: "virtual-machine",
    status: "Pending",
    label: "vm-1001",
    gpuType: "h100",
    region: "us-central-1",
    networkType: "ethernet",
    termType: "on-demand",
    costPerHourCents: 400,
    currentTerm: { termType: "on-demand", costPerHourCents: 400 },
    billedCents: 0,
    createdAt: "2026-11-20T12:00:00.000Z",
    startedAt: null,
    terminatedAt: null,
    providerData: null,
  });
  sandbox.advance(2 * second - 1);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({ status: "Pending" });
  sandbox.advance(1);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({
    state: "active",
    status: "Running",
    startedAt: "2026-11-20T12:00:02.000Z",
    providerData: {
      sshNetworking: [{ host: expect.stringMatching(/^192\.0\.2\./), port: 22, user: "ubuntu" }],
    },
  });
});

test("bare metal takes 4 s to boot and has an address for every 8 GPUs", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createBareMetalRental", {
    gpuCount: 24,
    networkType: "infiniband",
    cudaVersion: "cuda12.9",
  });
  sandbox.advance(4 * second);
  const [rental] = await sandbox.ask("listBareMetalRentals");
  expect(rental).toMatchObject({ status: "Running", label: "bm-1001", cudaVersion: "cuda12.9" });
  const hosts = rental?.providerData?.sshNetworking?.map(({ host }) => host);
  expect(new Set(hosts).size).toBe(3);
});

test("sshPublicKeyId and sshPublicKeyIds are merged", async () => {
  const sandbox = await openSandbox();
  for (const name of ["ada", "grace"])
    await sandbox.assumed("createSshKey", { name, publicKey: "ssh-rsa AAAA" });
  const keys = { sshPublicKeyId: 1, sshPublicKeyIds: [2, 1] };
  const created = await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, label: "mine", ...keys });
  expect(created).toMatchObject({ label: "mine", sshPublicKeyIds: [1, 2] });
});

test("a rental is billed by the second from the time it runs", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, discountPercentage: 10 });
  const billed = async () => (await sandbox.ask("getRental", { rentalId: "1001" }))?.billedCents;
  sandbox.advance(2 * second);
  expect(await billed()).toBe(0);
  sandbox.advance(20 * second);
  expect(await billed()).toBe(1);
  sandbox.advance(10 * hour - 20 * second);
  expect(await billed()).toBe(1800);
});

test("a reserved rental continues on demand when its term ends", async () => {
  const sandbox = await openSandbox();
  const reserved = { gpuCount: 1, termType: "reserved", termPeriodDays: 30 } as const;
  const created = await sandbox.ask("createVirtualMachineRental", reserved);
  expect(created).toMatchObject({
    termType: "reserved",
    termPeriodDays: 30,
    costPerHourCents: 180,
    reservedUntil: "2026-12-20T12:00:02.000Z",
  });
  sandbox.advance(2 * second + 30 * day - 1);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({ termType: "reserved" });
  sandbox.advance(1 + hour);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({
    state: "active",
    termType: "on-demand",
    termPeriodDays: null,
    reservedUntil: null,
    costPerHourCents: 200,
    billedCents: 180 * 24 * 30 + 200,
  });
});

test("a reserved rental ends with its term if it does not convert", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", {
    gpuCount: 1,
    termType: "reserved",
    termPeriodDays: 1,
    convertToOnDemandOnExpiry: false,
  });
  sandbox.advance(3 * day);
  const ended = { status: "Terminated", terminatedAt: "2026-11-21T12:00:02.000Z", billedCents: 4800 };
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({
    state: "terminated",
    ...ended,
  });
  expect(await sandbox.ask("listVirtualMachineRentals")).toEqual([]);
  expect(await sandbox.ask("listRentalHistory")).toMatchObject([
    { id: 1001, termType: "reserved", ...ended },
  ]);
  expect(sandbox.status().rentals).toEqual({ active: 0, ended: 1 });
});

test("each listing has only rentals of its type, and the history has only ended rentals", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  await sandbox.ask("createBareMetalRental", { gpuCount: 8, networkType: "ethernet" });
  expect(await sandbox.ask("listVirtualMachineRentals", { includeClusterPools: true })).toMatchObject([
    { id: 1001 },
  ]);
  expect(await sandbox.ask("listBareMetalRentals")).toMatchObject([{ id: 1002 }]);
  expect(await sandbox.ask("listRentalHistory")).toEqual([]);
});

test("the summary counts the active rentals and adds up their hourly cost", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, termType: "reserved", termPeriodDays: 365 });
  await sandbox.ask("createBareMetalRental", { gpuCount: 8, networkType: "ethernet", gpuType: "b200" });
  expect(await sandbox.ask("getActiveRentalSummary")).toEqual({
    count: 3,
    costPerHourCents: 200 + 140 + 3200,
    byTermType: {
      "on-demand": { count: 2, costPerHourCents: 3400 },
      reserved: { count: 1, costPerHourCents: 140 },
    },
  });
});

test.each(["1", "1002", "vm-1001", "01001", "1e3"])("the lookup of %j returns null", async (rentalId) => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  expect(await sandbox.ask("getRental", { rentalId })).toBeNull();
});

test.each([
  [{ gpuCount: 0 }, "gpuCount"],
  [{ gpuCount: 1.5 }, "gpuCount"],
  [{ gpuCount: 4097 }, "gpuCount"],
  [{ gpuCount: 1, discountPercentage: -1 }, "discountPercentage"],
  [{ gpuCount: 1, discountPercentage: 100 }, "discountPercentage"],
  [{ gpuCount: 1, termType: "reserved" }, "termPeriodDays"],
  [{ gpuCount: 1, termType: "reserved", termPeriodDays: 0.5 }, "termPeriodDays"],
  [{ gpuCount: 1, termType: "reserved", termPeriodDays: 1e15 }, "termPeriodDays"],
])("the sandbox creates no virtual machine from %j", async (input, field) => {
  const sandbox = await openSandbox();
  expect(await sandbox.issuesOf("createVirtualMachineRental", input)).toMatchObject([{ path: [field] }]);
  expect(await sandbox.ask("listVirtualMachineRentals")).toEqual([]);
});

test("the sandbox's time is that of the clock that it is given, not the real time", async () => {
  const sandbox = await openSandbox();
  expect(sandbox.status().now).toBe(new Date(start).toISOString());
});
