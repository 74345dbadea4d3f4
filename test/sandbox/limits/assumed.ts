import { expect } from "vitest";
import type * as z from "zod";
import {
  bareMetalRegions,
  gpuTypes,
  networkTypes,
  virtualMachineRegions,
} from "../../../src/contract/enums.ts";
import { sandboxChatModel } from "../../../src/core/sandbox.ts";
import {
  type AssumedId,
  type AssumedOutputOf,
  assumedOperations,
} from "../../../src/sandbox/assumed/index.ts";
import { centsPerGpuHour } from "../../../src/sandbox/rentals/prices.ts";
import { openSandbox } from "../harness.ts";
import type { Checks } from "./check.ts";

const hour = 3_600_000;
const day = 24 * hour;
const vm = { gpuCount: 1 };
const metal = { gpuCount: 8, networkType: "ethernet" } as const;
const reserved = { ...vm, termType: "reserved", termPeriodDays: 30 } as const;

type Opened = Awaited<ReturnType<typeof openSandbox>>;

const outputs: { readonly [Id in AssumedId]: { readonly output: z.ZodType<AssumedOutputOf<Id>> } } =
  assumedOperations;

/** The result of an assumed operation. Throws if the status of the response is not 200. */
async function send<Id extends AssumedId>(
  sandbox: Opened,
  id: Id,
  input: object = {},
): Promise<AssumedOutputOf<Id>> {
  const { status, body } = await sandbox.assumed(id, input);
  if (status !== 200) throw new Error(`${id}: ${JSON.stringify(body)}`);
  return outputs[id].output.parse(body);
}

const statusOf = async (sandbox: Opened, ...call: Parameters<Opened["assumed"]>): Promise<number> =>
  (await sandbox.assumed(...call)).status;

export const assumedChecks = {
  "ssh-keys": async (text) => {
    const sandbox = await openSandbox();
    for (const id of ["listSshKeys", "createSshKey", "deleteSshKey"] as const) {
      expect(assumedOperations[id].path).toMatch(/^\/v2\/ssh-keys(\/\{id\})?$/);
    }
    expect(text).toContain("/v2/ssh-keys,");
    const publicKey = "ssh-ed25519 AAAAC3Nza";
    const added = [
      await send(sandbox, "createSshKey", { name: "ada", publicKey }),
      await send(sandbox, "createSshKey", { name: "bob", publicKey }),
    ];
    expect(added.map(({ id }) => id)).toEqual([1, 2]);
    expect(await send(sandbox, "listSshKeys")).toEqual(added);
    await sandbox.ask("createVirtualMachineRental", { ...vm, sshPublicKeyId: 1, sshPublicKeyIds: [2, 1, 2] });
    await sandbox.ask("createBareMetalRental", { ...metal, sshPublicKeyIds: [2] });
    const rentals = async () => [
      await sandbox.ask("listVirtualMachineRentals"),
      await sandbox.ask("listBareMetalRentals"),
    ];
    const before = await rentals();
    expect(before).toMatchObject([[{ sshPublicKeyIds: [1, 2] }], [{ sshPublicKeyIds: [2] }]]);
    await send(sandbox, "deleteSshKey", { id: 2 });
    expect(await send(sandbox, "listSshKeys")).toEqual(added.slice(0, 1));
    expect(await rentals()).toEqual(before);
    const gone = { sshPublicKeyIds: [1, 2] };
    for (const issues of [
      await sandbox.issuesOf("createVirtualMachineRental", { ...vm, ...gone }),
      await sandbox.issuesOf("createBareMetalRental", { ...metal, ...gone }),
    ]) {
      expect(issues).toEqual([{ path: ["sshPublicKeyIds"], message: "no SSH key has the id 2" }]);
    }
    expect(await rentals()).toEqual(before);
  },
  "api-keys": async (text) => {
    const sandbox = await openSandbox();
    for (const id of ["listApiKeys", "createApiKey", "revokeApiKey"] as const) {
      expect(assumedOperations[id].path).toMatch(/^\/v2\/api-keys(\/\{id\})?$/);
    }
    expect(text).toContain("/v2/api-keys,");
    const own = await send(sandbox, "listApiKeys");
    const full = await send(sandbox, "createApiKey", { name: "ci" });
    const reader = await send(sandbox, "createApiKey", { name: "look", access: "read-only" });
    const opens = async (key: string) => [
      await statusOf(sandbox, "listSshKeys", {}, key),
      (await sandbox.call("requestReservation", { gpuCount: 8 }, key)).status,
    ];
    expect([await opens(full.apiKey), await opens(reader.apiKey)]).toEqual([
      [200, 200],
      [200, 403],
    ]);
    const listed = await sandbox.assumed("listApiKeys");
    expect(listed.body).toMatchObject([...own, { id: full.id, name: "ci" }, { id: reader.id, name: "look" }]);
    for (const { apiKey } of [full, reader]) expect(JSON.stringify(listed.body)).not.toContain(apiKey);
    await send(sandbox, "revokeApiKey", { id: full.id });
    expect(await opens(full.apiKey)).toEqual([401, 401]);
    expect(await send(sandbox, "listApiKeys")).toMatchObject([...own, { id: reader.id }]);
    expect(own).toHaveLength(2);
    for (const { id } of own) expect(await statusOf(sandbox, "revokeApiKey", { id })).toBe(400);
    expect([await opens(sandbox.keys.full), await opens(sandbox.keys.readOnly)]).toEqual([
      [200, 200],
      [200, 403],
    ]);
  },
  termination: async (text) => {
    const sandbox = await openSandbox();
    const { terminateVirtualMachineRental, terminateBareMetalRental } = assumedOperations;
    expect(text).toContain(`POST ${terminateVirtualMachineRental.path} or `);
    expect(text).toContain(terminateBareMetalRental.path.replace("/v2/on-demand", "..."));
    await sandbox.ask("createVirtualMachineRental", { ...reserved, convertToOnDemandOnExpiry: false });
    await sandbox.ask("createVirtualMachineRental", reserved);
    await sandbox.ask("createBareMetalRental", metal);
    await sandbox.ask("createVirtualMachineRental", vm);
    sandbox.advance(day);
    const paid = await send(sandbox, "getBalance");
    await send(sandbox, "terminateVirtualMachineRental", { rentalId: 1002 });
    await send(sandbox, "terminateBareMetalRental", { rentalId: "1003" });
    const terminatedAt = sandbox.status().now;
    expect(await sandbox.ask("listRentalHistory")).toMatchObject([
      { id: 1002, termType: "reserved", terminatedAt },
      { id: 1003, terminatedAt },
    ]);
    expect(await send(sandbox, "getBalance")).toEqual(paid);
    sandbox.advance(30 * day);
    expect((await sandbox.ask("listRentalHistory")).map(({ id }) => id)).toEqual([1001, 1002, 1003]);
    expect(sandbox.status().rentals).toEqual({ active: 1, ended: 3 });
    await sandbox.ask("deleteCurrentUser");
    expect(sandbox.status().rentals).toEqual({ active: 0, ended: 4 });
  },
  models: async (text) => {
    const sandbox = await openSandbox();
    const { path } = assumedOperations.listChatModels;
    expect(text).toBe(`GET ${path} lists ${sandboxChatModel}, or the models of the chat engine.`);
    const { data } = await send(sandbox, "listChatModels");
    expect(data.map(({ id }) => id)).toEqual([sandboxChatModel]);
  },

  "rental-options": async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain(`GET ${assumedOperations.listRentalOptions.path} `);
    expect(text).toContain("virtual machines with 1, 2, 4, 8 GPUs and bare metal with 8 in");
    const each = (places: readonly object[], sizes: readonly number[]) =>
      places.flatMap((place) =>
        gpuTypes.flatMap((gpuType) =>
          sizes.map((gpuCount) => ({
            ...place,
            gpuType,
            gpuCount,
            costPerHourCents: centsPerGpuHour[gpuType] * gpuCount,
          })),
        ),
      );
    const machines = virtualMachineRegions.map((region) => ({
      machineType: "virtual-machine",
      region,
      connectionType: "ethernet",
    }));
    const metals = bareMetalRegions.flatMap((region) =>
      networkTypes.map((connectionType) => ({ machineType: "bare-metal", region, connectionType })),
    );
    const options = await send(sandbox, "listRentalOptions");
    const expected = [...each(machines, [1, 2, 4, 8]), ...each(metals, [8])];
    expect(options).toHaveLength(expected.length);
    expect(options).toEqual(expect.arrayContaining(expected));
    expect(options.filter((option) => "totalAvailable" in option)).toEqual([]);
    for (const { machineType, gpuType, gpuCount, region, connectionType, costPerHourCents } of options) {
      const bare = machineType === "bare-metal";
      const input = { gpuType, gpuCount, region, ...(bare && { networkType: connectionType }) };
      const response = await sandbox.call(
        bare ? "createBareMetalRental" : "createVirtualMachineRental",
        input,
      );
      expect(await response.json()).toMatchObject({ costPerHourCents, networkType: connectionType, region });
    }
  },
  usage: async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain(`GET ${assumedOperations.listUsage.path} `);
    expect(text).toContain(`GET ${assumedOperations.listInvoices.path} `);
    await sandbox.ask("createVirtualMachineRental", reserved);
    await sandbox.ask("createBareMetalRental", metal);
    await sandbox.ask("createVirtualMachineRental", vm);
    sandbox.advance(hour);
    await send(sandbox, "terminateBareMetalRental", { rentalId: 1002 });
    sandbox.advance(400 * day);
    const costs = [];
    for (const rentalId of [1001, 1002, 1003]) {
      const rental = await sandbox.ask("getRental", { rentalId: String(rentalId) });
      costs.push({ rentalId, amountCents: rental?.billedCents });
    }
    const first = await send(sandbox, "listUsage", { limit: 2 });
    const last = await send(sandbox, "listUsage", { limit: 2, cursor: first.nextCursor });
    expect([first.items.length, last.items.length, last.nextCursor]).toEqual([2, 1, null]);
    const lines = [...first.items, ...last.items];
    expect(lines).toMatchObject(costs);
    const totalCents = lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
    expect(await send(sandbox, "listInvoices")).toMatchObject([{ status: "open", totalCents, lines }]);
    for (const rentalId of [1001, 1003]) await send(sandbox, "terminateVirtualMachineRental", { rentalId });
    sandbox.advance(400 * day);
    expect(await send(sandbox, "listInvoices")).toMatchObject([{ status: "open", totalCents }]);
  },
  balance: async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain(`GET ${assumedOperations.getBalance.path} `);
    expect(text).toContain("$10000.00");
    const left = async () => (await send(sandbox, "getBalance")).balanceCents;
    expect(await left()).toBe(1_000_000);
    await sandbox.seed("balanceCents: 300");
    await sandbox.ask("createVirtualMachineRental", vm);
    sandbox.advance(2000 + hour);
    expect(await left()).toBe(100);
    sandbox.advance(hour);
    expect(await left()).toBe(-100);
    expect(sandbox.status().balanceCents).toBe(-100);
    expect(await sandbox.ask("listVirtualMachineRentals")).toMatchObject([{ status: "Running" }]);
    await sandbox.ask("createVirtualMachineRental", vm);
  },
} satisfies Checks;
