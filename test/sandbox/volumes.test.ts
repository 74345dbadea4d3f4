import { expect, test } from "vitest";
import { openSandbox } from "./harness.ts";

const day = 24 * 3600 * 1000;
const volume = { region: "eu-west-3", label: "datasets", sizeInGb: 512 } as const;
const metal = { gpuCount: 8, networkType: "infiniband" } as const;

async function withRentals() {
  const sandbox = await openSandbox();
  await sandbox.ask("createBareMetalRental", metal);
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  return sandbox;
}

test("a volume is created and listed", async () => {
  const sandbox = await openSandbox();
  const created = await sandbox.ask("createStorageVolume", volume);
  expect(created).toEqual({ id: 501, ...volume, createdAt: "2026-11-20T12:00:00.000Z", rentalIds: [] });
  expect(await sandbox.ask("listStorageVolumes")).toEqual([created]);
});

test("a volume is attached on creation or later, and attaching is idempotent", async () => {
  const sandbox = await withRentals();
  await sandbox.ask("createBareMetalRental", metal);
  await sandbox.ask("createStorageVolume", { ...volume, rentalIds: ["1001"] });
  const attach = { storageVolumeId: "501", rentalIds: [1001, 1003] };
  expect(await sandbox.ask("attachStorageVolume", attach)).toEqual({
    storageVolumeId: 501,
    rentalIds: [1001, 1003],
  });
  expect(await sandbox.ask("listStorageVolumes")).toMatchObject([{ rentalIds: [1001, 1003] }]);
  expect(await sandbox.ask("getRental", { rentalId: "1003" })).toMatchObject({ storageVolumeIds: [501] });
});

test("volumes attach only to bare metal, and to all rentals of a request or to none", async () => {
  const sandbox = await withRentals();
  await sandbox.ask("createStorageVolume", volume);
  const attach = { storageVolumeId: 501, rentalIds: [1001, 1002, 9] };
  const issues = [
    {
      path: ["rentalIds"],
      message: "rental 1002 is a virtual-machine rental; volumes attach only to bare-metal rentals",
    },
    { path: ["rentalIds"], message: "no active rental has the id 9" },
  ];
  expect(await sandbox.issuesOf("attachStorageVolume", attach)).toEqual(issues);
  expect(await sandbox.issuesOf("createStorageVolume", { ...volume, rentalIds: attach.rentalIds })).toEqual(
    issues,
  );
  expect(await sandbox.ask("listStorageVolumes")).toMatchObject([{ id: 501, rentalIds: [] }]);
});

test("an unknown volume is not attached", async () => {
  const sandbox = await withRentals();
  expect(
    await sandbox.issuesOf("attachStorageVolume", { storageVolumeId: 1, rentalIds: [1001] }),
  ).toMatchObject([{ path: ["storageVolumeId"] }]);
});

test("bare metal is created with a new volume in its region", async () => {
  const sandbox = await openSandbox();
  const storageVolume = { isNew: true, label: "scratch", sizeInGb: 300 } as const;
  const created = await sandbox.ask("createBareMetalRental", {
    ...metal,
    region: "eu-west-4",
    storageVolume,
  });
  expect(created).toMatchObject({ storageVolumeIds: [501] });
  expect(await sandbox.ask("listStorageVolumes")).toMatchObject([
    { label: "scratch", sizeInGb: 300, region: "eu-west-4", rentalIds: [1001] },
  ]);
});

test("bare metal is created with an existing volume, and not at all with an unknown one", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createStorageVolume", volume);
  const unknown = { ...metal, storageVolume: { isNew: false, id: 502 } } as const;
  expect(await sandbox.issuesOf("createBareMetalRental", unknown)).toMatchObject([
    { path: ["storageVolume"], message: "no volume has the id 502" },
  ]);
  expect(await sandbox.ask("listBareMetalRentals")).toEqual([]);
  const known = { ...metal, storageVolume: { isNew: false, id: 501 } } as const;
  expect(await sandbox.ask("createBareMetalRental", known)).toMatchObject({ storageVolumeIds: [501] });
});

test("a volume is detached from a rental that ends", async () => {
  const sandbox = await openSandbox();
  const term = { termType: "reserved", termPeriodDays: 1, convertToOnDemandOnExpiry: false } as const;
  const storageVolume = { isNew: true, label: "scratch", sizeInGb: 256 } as const;
  await sandbox.ask("createBareMetalRental", { ...metal, ...term, storageVolume });
  sandbox.advance(2 * day);
  expect(await sandbox.ask("listStorageVolumes")).toMatchObject([{ id: 501, rentalIds: [] }]);
});
