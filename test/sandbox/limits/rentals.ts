import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { skipWithout } from "../../support/programs.ts";
import { openSandbox, origin, start } from "../harness.ts";
import type { Checks } from "./check.ts";

const second = 1000;
const day = 24 * 3600 * second;
const metal = { gpuCount: 8, networkType: "ethernet" } as const;
const term = { gpuCount: 1, termType: "reserved", termPeriodDays: 30 } as const;
const lookup = { rentalId: "1001" };

/** A seed with this many ended rentals. */
const endedRentals = (count: number): string =>
  JSON.stringify({
    rentals: Array.from({ length: count }, () => ({
      rentalType: "virtual-machine",
      gpuCount: 1,
      createdAt: new Date(start - 2 * day).toISOString(),
      terminatedAt: new Date(start - day).toISOString(),
    })),
  });

export const rentalChecks = {
  boot: async (text) => {
    expect(text).toBe("A virtual machine boots in 2 s, bare metal in 4 s.");
    const sandbox = await openSandbox();
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    await sandbox.ask("createBareMetalRental", metal);
    const states = async () => [
      (await sandbox.ask("listVirtualMachineRentals"))[0]?.status,
      (await sandbox.ask("listBareMetalRentals"))[0]?.status,
    ];
    sandbox.advance(2 * second);
    expect(await states()).toEqual(["Running", "Pending"]);
    sandbox.advance(2 * second);
    expect(await states()).toEqual(["Running", "Running"]);
  },
  "boot-outcomes": async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain("in 600 s");
    sandbox.boots.add({ outcome: "slow", label: "slow*" });
    sandbox.boots.add({ outcome: "failed", times: 1 });
    sandbox.boots.add({ outcome: "never", times: 1 });
    const rent = (input: object) => sandbox.ask("createVirtualMachineRental", { gpuCount: 1, ...input });
    const reserved = { termType: "reserved", termPeriodDays: 1, convertToOnDemandOnExpiry: true } as const;
    for (const input of [{}, reserved, {}, { label: "slow-1" }]) await rent(input);
    const seen = async () =>
      (await sandbox.ask("listVirtualMachineRentals")).map(({ status, billedCents }) => [
        status,
        Number(billedCents) > 0,
      ]);
    sandbox.advance(second);
    expect((await seen()).map(([status]) => status)).toEqual(["Pending", "Pending", "Pending", "Pending"]);
    sandbox.advance(second);
    const [failed, never] = [
      ["Failed", false],
      ["Pending", false],
    ];
    expect((await seen()).map(([status]) => status)).toEqual(["Failed", "Pending", "Running", "Pending"]);
    sandbox.advance(10 * day);
    expect(await seen()).toEqual([failed, never, ["Running", true], ["Running", true]]);
    const reservedOne = await sandbox.ask("getRental", { rentalId: "1002" });
    expect(reservedOne).toMatchObject({ status: "Pending", termType: "on-demand", startedAt: null });
    const ended = await sandbox.assumed("terminateVirtualMachineRental", { rentalId: 1001 });
    expect(ended.status).toBe(200);
    expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({
      status: "Terminated",
      billedCents: 0,
    });
  },
  status: async () => {
    const sandbox = await openSandbox();
    const seen: unknown[] = [];
    await sandbox.ask("createVirtualMachineRental", {
      ...term,
      termPeriodDays: 1,
      convertToOnDemandOnExpiry: false,
    });
    for (const step of [0, 2 * second, day]) {
      sandbox.advance(step);
      seen.push((await sandbox.ask("getRental", lookup))?.status);
    }
    expect(seen).toEqual(["Pending", "Running", "Terminated"]);
  },
  terms: async () => {
    const sandbox = await openSandbox();
    sandbox.advance(1);
    const created = await sandbox.ask("createVirtualMachineRental", term);
    expect(created.reservedUntil).toBe(new Date(start + 3 * second + 30 * day).toISOString());
    await sandbox.ask("createVirtualMachineRental", { ...term, convertToOnDemandOnExpiry: false });
    sandbox.advance(31 * day);
    expect(await sandbox.ask("getRental", lookup)).toMatchObject({ termType: "on-demand" });
    expect(await sandbox.ask("listRentalHistory")).toMatchObject([{ id: 1002 }]);
  },
  "term-length": async () => {
    const sandbox = await openSandbox();
    for (const termPeriodDays of [undefined, 0.5, 1e9]) {
      const input = { gpuCount: 1, termType: "reserved", termPeriodDays };
      expect(await sandbox.issuesOf("createVirtualMachineRental", input)).toMatchObject([
        { path: ["termPeriodDays"] },
      ]);
    }
    const onDemand = await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, termPeriodDays: 7 });
    expect(onDemand).toMatchObject({ termType: "on-demand", termPeriodDays: null });
  },
  "convert-and-extend": async () => {
    const sandbox = await openSandbox();
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    const wanted = { rentalId: 1001, termPeriodDays: 1, expectedTotalPriceCents: 1 };
    const extension = { ...wanted, expectedReservedUntil: "2026-11-22T12:00:02Z" };
    expect(await sandbox.issuesOf("extendReserved", extension)).toMatchObject([{ path: ["rentalId"] }]);
    const [issue] = await sandbox.issuesOf("convertToReserved", wanted);
    const expectedTotalPriceCents = Number(/\d+/.exec(issue?.message ?? "")?.[0]);
    await sandbox.ask("convertToReserved", { ...wanted, expectedTotalPriceCents });
    const [end] = await sandbox.issuesOf("extendReserved", {
      ...extension,
      expectedTotalPriceCents,
      expectedReservedUntil: "2030-01-01T00:00:00Z",
    });
    expect(end?.message).toContain("2026-11-22T12:00:02.000Z");
    await sandbox.ask("extendReserved", { ...extension, expectedTotalPriceCents });
    const month = { rentalId: 1001, termPeriodDays: 30, expectedReservedUntil: "2026-12-22T12:00:02Z" };
    const [price] = await sandbox.issuesOf("extendReserved", { ...month, expectedTotalPriceCents });
    expect(price?.message).toContain(`must be ${30 * 24 * 180},`);
    await sandbox.ask("extendReserved", { ...month, expectedTotalPriceCents: 30 * 24 * 180 });
  },
  "gpu-count": async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain("4096");
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 4096 });
    for (const gpuCount of [0, 1.5, 4097]) {
      expect(await sandbox.issuesOf("createVirtualMachineRental", { gpuCount })).toMatchObject([
        { path: ["gpuCount"] },
      ]);
    }
  },
  discount: async () => {
    const sandbox = await openSandbox();
    for (const discountPercentage of [-0.1, 100]) {
      const input = { gpuCount: 1, discountPercentage };
      expect(await sandbox.issuesOf("createVirtualMachineRental", input)).toMatchObject([
        { path: ["discountPercentage"] },
      ]);
    }
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, discountPercentage: 99.9 });
  },
  machines: async (text, context) => {
    skipWithout("sshd", context);
    const sandbox = await openSandbox({ environment: { PATH: process.env.PATH ?? "" } });
    await sandbox.startMachines();
    expect(text).toContain("up to 100 in all");
    await sandbox.ask("createBareMetalRental", { ...metal, gpuCount: 8 * 99 });
    await sandbox.ask("createBareMetalRental", { ...metal, gpuCount: 8 * 2 });
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    sandbox.advance(4 * second);
    const hosts = [
      ...(await sandbox.ask("listBareMetalRentals")),
      ...(await sandbox.ask("listVirtualMachineRentals")),
    ].map((one) => new Set(one.providerData?.sshNetworking?.map(({ host }) => host)));
    expect(hosts[0]).toEqual(new Set(["127.0.0.1"]));
    expect([...(hosts[1] ?? [])].every((host) => /^(192|198|203)\./.test(host ?? ""))).toBe(true);
    expect(hosts[2]).toEqual(new Set(["127.0.0.1"]));
    await sandbox.assumed("terminateBareMetalRental", { rentalId: 1001 });
    const [left] = await sandbox.ask("listBareMetalRentals");
    expect(left?.providerData?.sshNetworking?.map(({ host }) => host)).toEqual(["127.0.0.1", "127.0.0.1"]);
  },
  "machine-keys": async (_text, context) => {
    skipWithout("sshd", context);
    const sandbox = await openSandbox({ environment: { PATH: process.env.PATH ?? "" } });
    await sandbox.assumed("createSshKey", { name: "ada", publicKey: "ssh-ed25519 AAAAC3Nza ada" });
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, sshPublicKeyIds: [1] });
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    // A machine accepts the key of its rental even if the key is deleted later.
    await sandbox.assumed("deleteSshKey", { id: 1 });
    sandbox.advance(2 * second);
    const machines = await sandbox.startMachines();
    const identityFile = machines.identityFile() ?? "";
    expect(machines.sshOptions(1001)).not.toContain(identityFile);
    expect(machines.sshOptions(1002)).toContain(identityFile);
    const accepted = (await readdir(dirname(identityFile)))
      .filter((name) => /^\d/.test(name))
      .sort()
      .map((name) => readFileSync(join(dirname(identityFile), name, "authorized_keys"), "utf8"));
    expect(accepted).toEqual(["ssh-ed25519 AAAAC3Nza ada\n", readFileSync(`${identityFile}.pub`, "utf8")]);
  },
  addresses: async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain("192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24");
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 8 });
    await sandbox.ask("createBareMetalRental", { ...metal, gpuCount: 8 * 300 });
    sandbox.advance(4 * second);
    const [vm] = await sandbox.ask("listVirtualMachineRentals");
    const [bm] = await sandbox.ask("listBareMetalRentals");
    const hosts = [vm, bm].map((one) => one?.providerData?.sshNetworking?.map(({ host }) => host) ?? []);
    expect(hosts.map(({ length }) => length)).toEqual([1, 300]);
    for (const host of hosts.flat()) {
      expect(host).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/);
      // The first and the last address of a network belong to no machine.
      expect(Number(host?.split(".").at(-1))).toBeGreaterThan(0);
      expect(Number(host?.split(".").at(-1))).toBeLessThan(255);
    }
  },
  "cluster-pools": async () => {
    const sandbox = await openSandbox();
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    const list = (includeClusterPools: boolean) =>
      sandbox.ask("listVirtualMachineRentals", { includeClusterPools });
    expect(await list(true)).toEqual(await list(false));
  },
  replacements: async (text) => {
    expect(text).toContain("limit (from 1 to 100, 20 by default)");
    const sandbox = await openSandbox();
    const headers = { authorization: `Bearer ${sandbox.keys.full}` };
    const send = async (from: Pick<typeof sandbox, "fetch">, path: string, body?: object) => {
      const init = body && { method: "POST", body: JSON.stringify(body) };
      const response = await from.fetch(new Request(`${origin}${path}`, { headers, ...init }));
      return { status: response.status, body: Object(await response.json()) };
    };
    const create = "/v2/on-demand/rentals";
    const lists = [`${create}/active`, `${create}/history`];
    const documented = sandbox.withOperationSet("documented");
    for (const path of lists) expect(await send(documented, path)).toMatchObject({ status: 404 });
    expect(await send(documented, create, {})).toMatchObject({ status: 404 });
    const served = sandbox;
    const bm = await send(served, create, { rentalType: "bare-metal", ...metal });
    const vm = await send(served, create, { rentalType: "virtual-machine", gpuCount: 1 });
    const [active] = lists;
    const both = { items: [bm.body, vm.body], nextCursor: null };
    expect((await send(served, `${active}`)).body).toEqual(both);
    const first = (await send(served, `${active}?limit=1`)).body;
    expect(first).toEqual({ items: [bm.body], nextCursor: expect.any(String) });
    const last = await send(served, `${active}?limit=1&cursor=${first.nextCursor}`);
    expect(last.body).toEqual({ items: [vm.body], nextCursor: null });
    expect((await send(served, `${active}?rentalType=bare-metal`)).body.items).toEqual([bm.body]);
    for (const limit of [0, 101]) {
      for (const path of lists) expect((await send(served, `${path}?limit=${limit}`)).status).toBe(400);
    }
    sandbox.faults.add({ operation: "listBareMetalRentals", status: 503 });
    expect((await send(served, `${active}?rentalType=virtual-machine`)).status).toBe(200);
    expect((await send(served, `${active}`)).status).toBe(503);
    await sandbox.seed(endedRentals(21));
    const past = (await send(served, `${create}/history`)).body;
    expect(past.items).toHaveLength(20);
    const rest = (await send(served, `${create}/history?cursor=${past.nextCursor}`)).body;
    expect(rest).toMatchObject({ items: [{ id: 1021 }], nextCursor: null });
  },
  reservations: async () => {
    const sandbox = await openSandbox();
    const before = sandbox.snapshot();
    await sandbox.ask("requestReservation", { gpuCount: 512 });
    expect(sandbox.snapshot()).toEqual(before);
  },
  volumes: async () => {
    const sandbox = await openSandbox();
    await sandbox.ask("createBareMetalRental", metal);
    await sandbox.ask("createBareMetalRental", {
      ...metal,
      region: "eu-west-4",
      termType: "reserved",
      termPeriodDays: 1,
      convertToOnDemandOnExpiry: false,
    });
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    const volume = { label: "data", region: "jp-east-1", sizeInGb: 256 } as const;
    await sandbox.ask("createStorageVolume", volume);
    const attach = (rentalIds: number[]) =>
      sandbox.ask("attachStorageVolume", { storageVolumeId: 501, rentalIds });
    expect(await attach([1002, 1002])).toMatchObject({ rentalIds: [1002] });
    const both = await attach([1001]);
    expect(both).toMatchObject({ rentalIds: [1001, 1002] });
    expect(await attach([1001, 1002])).toEqual(both);
    const vm = { storageVolumeId: 501, rentalIds: [1003] };
    expect(await sandbox.issuesOf("attachStorageVolume", vm)).toMatchObject([{ path: ["rentalIds"] }]);
    sandbox.advance(2 * day);
    expect(await sandbox.ask("listStorageVolumes")).toMatchObject([{ rentalIds: [1001] }]);
  },
  ids: async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain("rentals start at 1001, volumes at 501");
    const volume = { label: "data", region: "eu-west-3", sizeInGb: 256 } as const;
    expect(await sandbox.ask("createStorageVolume", volume)).toMatchObject({ id: 501 });
    expect(await sandbox.ask("createBareMetalRental", metal)).toMatchObject({ id: 1001 });
    const asText = { storageVolumeId: "501", rentalIds: ["1001"] };
    expect(await sandbox.ask("attachStorageVolume", asText)).toMatchObject({ rentalIds: [1001] });
  },
} satisfies Checks;
