import { expect } from "vitest";
import { openSandbox, start } from "../harness.ts";
import type { Checks } from "./check.ts";

const day = 24 * 3600 * 1000;
const vm = { gpuCount: 1 } as const;
const metal = { gpuCount: 8, networkType: "ethernet" } as const;
const at = (ms: number) => new Date(start + ms).toISOString();

export const recordChecks = {
  lists: async () => {
    const sandbox = await openSandbox();
    const rental = { rentalType: "virtual-machine", ...vm, createdAt: at(-9 * day) };
    await sandbox.seed(
      JSON.stringify({
        rentals: [
          { ...rental, id: 9, terminatedAt: at(-8 * day) },
          { ...rental, id: 5, terminatedAt: at(-day) },
          { ...rental, id: 8 },
          { ...rental, id: 7 },
        ],
        volumes: [4, 3].map((id) => ({ id, label: "data", region: "eu-west-3", sizeInGb: 256 })),
      }),
    );
    const ids = (list: readonly { id?: unknown }[]) => list.map(({ id }) => id);
    expect(ids(await sandbox.ask("listVirtualMachineRentals"))).toEqual([7, 8]);
    expect(ids(await sandbox.ask("listStorageVolumes"))).toEqual([3, 4]);
    sandbox.advance(4000 * day);
    expect(ids(await sandbox.ask("listRentalHistory"))).toEqual([5, 9]);
    sandbox.reset();
    for (let made = 0; made < 120; made += 1) await sandbox.ask("createVirtualMachineRental", vm);
    expect(await sandbox.ask("listVirtualMachineRentals")).toHaveLength(120);
  },
  records: async () => {
    const sandbox = await openSandbox();
    expect(await sandbox.ask("createVirtualMachineRental", vm)).toMatchObject({
      costPerHourCents: 200,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const { byTermType } = await sandbox.ask("getActiveRentalSummary");
    expect(Object.keys(byTermType ?? {})).toEqual(["on-demand", "reserved"]);
  },
  "rental-records": async () => {
    const sandbox = await openSandbox();
    const created = await sandbox.ask("createVirtualMachineRental", vm);
    expect(created).toMatchObject({
      cudaVersion: null,
      termPeriodDays: null,
      reservedUntil: null,
      startedAt: null,
      terminatedAt: null,
      providerData: null,
      customPorts: [],
      sshPublicKeyIds: [],
      storageVolumeIds: [],
      gpuType: "h100",
      monitoringEnabled: false,
      discountPercentage: 0,
      convertToOnDemandOnExpiry: true,
    });
    expect(await sandbox.ask("listVirtualMachineRentals")).toEqual([created]);
    expect(await sandbox.ask("getRental", { rentalId: "1001" })).toEqual({ state: "active", ...created });
    await sandbox.assumed("terminateVirtualMachineRental", { rentalId: 1001 });
    const [past] = await sandbox.ask("listRentalHistory");
    expect(Object.keys(past ?? {})).toEqual(Object.keys(created));
    expect(await sandbox.ask("getRental", { rentalId: "1001" })).toEqual({ state: "terminated", ...past });
  },
  "term-records": async () => {
    const sandbox = await openSandbox();
    const term = { ...vm, termType: "reserved", termPeriodDays: 30 } as const;
    const { reservedUntil } = await sandbox.ask("createVirtualMachineRental", term);
    const expectedReservedUntil = new Date(Date.parse(String(reservedUntil)) + 7 * day).toISOString();
    const more = {
      rentalId: 1001,
      termPeriodDays: 7,
      expectedTotalPriceCents: 7 * 24 * 200,
      expectedReservedUntil,
    };
    await sandbox.ask("extendReserved", more);
    const seen = async () => (await sandbox.ask("listVirtualMachineRentals"))[0];
    expect(await seen()).toMatchObject({ termPeriodDays: 37, costPerHourCents: 180 });
    sandbox.advance(31 * day);
    expect(await seen()).toMatchObject({ termPeriodDays: 37, costPerHourCents: 200, termType: "reserved" });
    sandbox.advance(7 * day);
    expect(await seen()).toMatchObject({
      termPeriodDays: null,
      costPerHourCents: 200,
      termType: "on-demand",
    });
  },
  summary: async () => {
    const sandbox = await openSandbox();
    const created = await sandbox.ask("createVirtualMachineRental", vm);
    expect(created.status).toBe("Pending");
    expect(await sandbox.ask("getActiveRentalSummary")).toMatchObject({ count: 1, costPerHourCents: 200 });
  },
  labels: async () => {
    const sandbox = await openSandbox();
    const long = "x".repeat(10_000);
    const labels = [];
    for (const label of [undefined, "", long, "same", "same"]) {
      labels.push(
        (await sandbox.ask("createVirtualMachineRental", { ...vm, ...(label !== undefined && { label }) }))
          .label,
      );
    }
    expect(labels).toEqual(["vm-1001", "vm-1002", long, "same", "same"]);
    expect(await sandbox.ask("createBareMetalRental", metal)).toMatchObject({ label: "bm-1006" });
    const volume = { label: "data", region: "eu-west-3", sizeInGb: 256 } as const;
    for (let made = 0; made < 2; made += 1) await sandbox.ask("createStorageVolume", volume);
  },
  "rental-fields": async () => {
    const sandbox = await openSandbox();
    const plain = await sandbox.ask("createVirtualMachineRental", vm);
    const kept = { networkType: "infiniband", monitoringEnabled: true, customPorts: [80, 22, 80] } as const;
    const other = { cudaVersion: "cuda12.8", storageVolume: { isNew: false, id: 9 } };
    const response = await sandbox.call("createVirtualMachineRental", { ...vm, ...kept, ...other });
    expect(await response.json()).toEqual({
      ...plain,
      ...kept,
      id: 1002,
      label: "vm-1002",
      cudaVersion: null,
    });
    const bare = await sandbox.call("createBareMetalRental", {
      ...metal,
      cudaVersion: "cuda12.9",
      customPorts: [80],
    });
    expect(await bare.json()).toMatchObject({
      cudaVersion: "cuda12.9",
      customPorts: [],
      costPerHourCents: 1600,
    });
  },
  "volume-records": async () => {
    const sandbox = await openSandbox();
    const storageVolume = { isNew: true, label: "data", sizeInGb: 257 } as const;
    await sandbox.ask("createBareMetalRental", { ...metal, region: "eu-west-4", storageVolume });
    expect(await sandbox.ask("listStorageVolumes")).toMatchObject([
      { region: "eu-west-4", rentalIds: [1001] },
    ]);
    await sandbox.assumed("terminateBareMetalRental", { rentalId: 1001 });
    expect(await sandbox.ask("listStorageVolumes")).toMatchObject([{ rentalIds: [] }]);
    expect(await sandbox.ask("listRentalHistory")).toMatchObject([{ storageVolumeIds: [501] }]);
  },
  "user-record": async () => {
    const sandbox = await openSandbox();
    const { user } = await sandbox.ask("updateCurrentUser", { name: "", onboardedFor: "" });
    expect(user).toMatchObject({ name: "", onboardedFor: "" });
    const response = await sandbox.call("updateCurrentUser", { email: "other@example.com", isActive: false });
    expect(await response.json()).toEqual({ success: true, user });
  },
  "reservation-size": async () => {
    const sandbox = await openSandbox();
    for (const gpuCount of [1, 1.5, 1_000_000]) {
      const { message } = await sandbox.ask("requestReservation", { gpuCount });
      expect(message).toContain(`for ${gpuCount} GPUs`);
    }
  },
} satisfies Checks;
