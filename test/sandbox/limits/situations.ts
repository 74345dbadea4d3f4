import { expect } from "vitest";
import { scenarios } from "../../../src/core/sandbox.ts";
import { openSandbox, start } from "../harness.ts";
import type { Checks } from "./check.ts";

const second = 1000;
const hour = 3600 * second;
const vm = { gpuCount: 1 };
const at = (ms: number) => new Date(start + ms).toISOString();

type Opened = Awaited<ReturnType<typeof openSandbox>>;

/** Sends a create request. Returns the status of the response, and the path of the first issue in it. */
async function rent(sandbox: Opened, input: object = vm): Promise<[number, unknown]> {
  const response = await sandbox.call("createVirtualMachineRental", input);
  const body = await response.json();
  return [response.status, Object(body).issues?.[0]?.path];
}

const picture = { model_name: "SDXL1.0-base", prompt: "x", width: 1024, height: 1024, steps: 25 };

export const situationChecks = {
  capacity: async () => {
    const sandbox = await openSandbox();
    sandbox.situations.add({ kind: "capacity", gpuType: "h100", regions: ["us-central-1"], gpus: 3 });
    sandbox.situations.add({ kind: "capacity", regions: ["us-central-1", "us-east-1"] });
    expect(await rent(sandbox, { gpuCount: 2 })).toEqual([200, undefined]);
    expect(await rent(sandbox, { gpuCount: 2 })).toEqual([400, ["region"]]);
    expect(await rent(sandbox, { ...vm, region: "us-east-1" })).toEqual([400, ["region"]]);
    expect(await rent(sandbox, { ...vm, region: "us-east-2" })).toEqual([200, undefined]);
    const { body } = await sandbox.assumed("listRentalOptions");
    const available = (gpuType: string, region: string, gpuCount: number) =>
      (body as { readonly [field: string]: unknown }[])
        .filter((one) => one.machineType === "virtual-machine")
        .find((one) => one.gpuType === gpuType && one.region === region && one.gpuCount === gpuCount)
        ?.totalAvailable;
    expect(available("h100", "us-central-1", 1)).toBe(1);
    expect(available("h100", "us-central-1", 2)).toBe(0);
    expect(available("b200", "us-central-1", 1)).toBe(0);
    expect(available("h100", "us-east-2", 1)).toBe(undefined);
    await sandbox.assumed("terminateVirtualMachineRental", { rentalId: 1001 });
    expect(await rent(sandbox, { gpuCount: 3 })).toEqual([200, undefined]);
    expect(sandbox.situations.list().map(({ affected }) => affected)).toEqual([1, 1]);
  },
  quotas: async () => {
    const sandbox = await openSandbox();
    sandbox.situations.add({ kind: "quota", gpus: 3 });
    sandbox.situations.add({ kind: "quota", gpus: 1, gpuType: "b200" });
    expect(await rent(sandbox, { ...vm, gpuType: "b200" })).toEqual([200, undefined]);
    expect(await rent(sandbox, { ...vm, gpuType: "b200" })).toEqual([403, ["gpuCount"]]);
    expect(await rent(sandbox, { gpuCount: 2 })).toEqual([200, undefined]);
    expect(await rent(sandbox)).toEqual([403, ["gpuCount"]]);
  },
  interruptions: async () => {
    const sandbox = await openSandbox();
    await rent(sandbox, { ...vm, label: "old" });
    sandbox.advance(hour);
    sandbox.situations.add({ kind: "interruption", label: "old", afterSeconds: 60 });
    sandbox.situations.add({ kind: "failure", label: "new*", at: at(2 * hour), times: 1 });
    const { id } = sandbox.situations.add({ kind: "interruption", label: "now" });
    for (const label of ["new-1", "new-2", "now"]) await rent(sandbox, { ...vm, label });
    sandbox.situations.clear(id);
    sandbox.advance(9 * hour);
    expect(await sandbox.ask("listRentalHistory")).toMatchObject([
      { label: "old", terminatedAt: at(hour + 60 * second), billedCents: 203 },
      { label: "now", terminatedAt: at(hour + 2 * second), billedCents: 0 },
    ]);
    expect(await sandbox.ask("listVirtualMachineRentals")).toMatchObject([
      { label: "new-1", status: "Failed", billedCents: 199, providerData: null, terminatedAt: null },
      { label: "new-2", status: "Running" },
    ]);
  },
  "rate-limit-windows": async () => {
    const sandbox = await openSandbox();
    sandbox.situations.add({ kind: "rate-limit", requests: 2, windowSeconds: 10 });
    const list = async (key: string | null = sandbox.keys.full) => {
      const { status, headers } = await sandbox.call("listStorageVolumes", {}, key);
      return [status, headers.get("retry-after")];
    };
    sandbox.advance(hour);
    expect(await list(null)).toEqual([401, null]);
    expect(await list()).toEqual([200, null]);
    sandbox.advance(2500);
    expect(await list(sandbox.keys.readOnly)).toEqual([200, null]);
    expect(await list()).toEqual([429, "8"]);
    sandbox.advance(7500);
    expect(await list()).toEqual([200, null]);
  },
  prepaid: async () => {
    const sandbox = await openSandbox();
    await rent(sandbox);
    sandbox.situations.add({ kind: "prepaid", balanceCents: 100 });
    expect((await sandbox.call("generateImage", picture)).status).toBe(200);
    sandbox.advance(9 * hour);
    expect(sandbox.status()).toMatchObject({ balanceCents: 0, rentals: { active: 0, ended: 1 } });
    expect(await sandbox.ask("listRentalHistory")).toMatchObject([
      { terminatedAt: at(2 * second + hour / 2), billedCents: 100 },
    ]);
    expect((await rent(sandbox))[0]).toBe(403);
    expect((await sandbox.call("generateImage", picture)).status).toBe(200);
    sandbox.situations.add({ kind: "picture-prices" });
    expect((await sandbox.call("generateImage", picture)).status).toBe(403);
  },
  "picture-prices": async () => {
    const sandbox = await openSandbox();
    const spent = async () => {
      const { body } = await sandbox.assumed("getBalance");
      return Object(body).spentCents;
    };
    await sandbox.call("generateImage", picture);
    expect(await spent()).toBe(0);
    sandbox.situations.add({ kind: "picture-prices" });
    await sandbox.call("generateImage", { ...picture, steps: 15 });
    expect(await spent()).toBe(0);
    await sandbox.call("generateImage", { ...picture, steps: 10 });
    expect(await spent()).toBe(1);
    await sandbox.call("generateImage", { ...picture, steps: 0 });
    expect(await spent()).toBe(1);
    expect((await sandbox.assumed("listUsage")).body).toMatchObject({ items: [] });
  },
  "same-region": async () => {
    const sandbox = await openSandbox();
    await sandbox.ask("createBareMetalRental", { gpuCount: 8, networkType: "ethernet" });
    const volume = { region: "eu-west-3", label: "data", sizeInGb: 256 } as const;
    await sandbox.ask("createStorageVolume", { ...volume, rentalIds: [1001] });
    sandbox.situations.add({ kind: "same-region" });
    const attach = { storageVolumeId: 501, rentalIds: [1001] };
    expect(await sandbox.issuesOf("attachStorageVolume", attach)).toMatchObject([{ path: ["rentalIds"] }]);
    expect(await sandbox.issuesOf("createStorageVolume", { ...volume, rentalIds: [1001] })).toMatchObject([
      { path: ["rentalIds"] },
    ]);
    const metal = {
      gpuCount: 8,
      networkType: "ethernet",
      storageVolume: { isNew: false, id: 501 },
    } as const;
    expect(await sandbox.issuesOf("createBareMetalRental", metal)).toMatchObject([
      { path: ["storageVolume"] },
    ]);
    await sandbox.ask("createBareMetalRental", { ...metal, region: "eu-west-3" });
    expect(await sandbox.ask("listStorageVolumes")).toMatchObject([{ rentalIds: [1001, 1002] }]);
  },
  scenarios: async (text) => {
    const sandbox = await openSandbox();
    await rent(sandbox);
    for (const [name, meaning] of Object.entries(scenarios)) {
      expect(text).toContain(`${name}: ${meaning}.`);
      const added = sandbox.scenario(name);
      const now = [sandbox.situations.list(), sandbox.boots.list(), sandbox.faults.list()].flat();
      expect(added.map(({ id }) => id)).toEqual(now.map(({ id }) => id));
      expect(added.length > 0).toBe(name !== "none");
    }
    expect(() => sandbox.scenario("flakey")).toThrow("Did you mean flaky");
    expect(sandbox.status()).toMatchObject({ balanceCents: 100, rentals: { active: 1 } });
  },
} satisfies Partial<Checks>;
