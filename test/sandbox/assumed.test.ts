import { expect, test } from "vitest";
import type { Operation } from "../../src/contract/operation.ts";
import { type AssumedId, assumedOperations } from "../../src/sandbox/assumed/index.ts";
import { sandboxLimits } from "../../src/sandbox/limits.ts";
import { createCli } from "../support/cli.ts";
import { openSandbox } from "./harness.ts";

const ids = Object.keys(assumedOperations) as AssumedId[];
const hour = 3_600_000;
const second = 1000;

test.each(ids)("%s is described as an assumption and requires a key", async (id) => {
  const sandbox = await openSandbox();
  const { paths } = await sandbox.ask("getOpenApiDocument");
  const { method, path, group, assumed }: Operation = assumedOperations[id];
  expect(assumed).toBe(true);
  expect(Object(paths[path])[method.toLowerCase()]).toMatchObject({
    operationId: id,
    tags: [group],
    description: expect.stringContaining("Assumed by the sandbox"),
  });
  expect(await sandbox.assumed(id, { id: 1 }, null)).toMatchObject({ status: 401 });
});

test("an API key works until it is revoked", async () => {
  const sandbox = await openSandbox();
  const made = await sandbox.assumed("createApiKey", { name: "ci" });
  const { id, apiKey, lastFour } = Object(made.body);
  expect(apiKey).toMatch(/^gpuctl-sandbox-/);
  expect(lastFour).toBe(apiKey.slice(-4));
  expect((await sandbox.call("listStorageVolumes", {}, apiKey)).status).toBe(200);
  expect(JSON.stringify((await sandbox.assumed("listApiKeys")).body)).not.toContain(apiKey);
  expect(await sandbox.assumed("revokeApiKey", { id })).toEqual({ status: 200, body: { success: true } });
  expect((await sandbox.call("listStorageVolumes", {}, apiKey)).status).toBe(401);
  expect((await sandbox.assumed("revokeApiKey", { id })).status).toBe(404);
});

test("a created key that is read-only can list API keys, but cannot create one", async () => {
  const sandbox = await openSandbox();
  const { apiKey } = Object(
    (await sandbox.assumed("createApiKey", { name: "look", access: "read-only" })).body,
  );
  expect((await sandbox.assumed("listApiKeys", {}, apiKey)).status).toBe(200);
  expect((await sandbox.assumed("createApiKey", { name: "more" }, apiKey)).status).toBe(403);
});

test("the sandbox's own keys cannot be revoked", async () => {
  const sandbox = await openSandbox();
  expect((await sandbox.assumed("listApiKeys")).body).toMatchObject([
    { id: 1, access: "full" },
    { id: 2, access: "read-only" },
  ]);
  for (const id of [1, 2]) expect((await sandbox.assumed("revokeApiKey", { id })).status).toBe(400);
});

test("a rental accepts only SSH keys that exist", async () => {
  const sandbox = await openSandbox();
  const ada = { name: "ada", publicKey: "ssh-ed25519 AAAAC3Nza ada@example.com\n" };
  expect((await sandbox.assumed("createSshKey", ada)).body).toMatchObject({
    id: 1,
    publicKey: ada.publicKey.trim(),
  });
  expect(
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1, sshPublicKeyIds: [1] }),
  ).toMatchObject({
    sshPublicKeyIds: [1],
  });
  expect(await sandbox.issuesOf("createVirtualMachineRental", { gpuCount: 1, sshPublicKeyId: 2 })).toEqual([
    { path: ["sshPublicKeyId"], message: "no SSH key has the id 2" },
  ]);
  expect((await sandbox.assumed("deleteSshKey", { id: 1 })).status).toBe(200);
  const bareMetal = { gpuCount: 8, networkType: "ethernet", sshPublicKeyIds: [1] };
  expect(await sandbox.issuesOf("createBareMetalRental", bareMetal)).toHaveLength(1);
  expect((await sandbox.assumed("listSshKeys")).body).toEqual([]);
  expect((await sandbox.assumed("deleteSshKey", { id: 1 })).status).toBe(404);
  expect((await sandbox.assumed("createSshKey", { name: "x", publicKey: "nonsense" })).status).toBe(400);
});

test("a rental can be ended only once, and only by the operation for its type", async () => {
  const sandbox = await openSandbox();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  const end = (id: AssumedId, rentalId: unknown) => sandbox.assumed(id, { rentalId });
  expect((await end("terminateBareMetalRental", 1001)).status).toBe(400);
  expect(await end("terminateVirtualMachineRental", 1001)).toEqual({
    status: 200,
    body: { message: "Rental 1001 was terminated.", rentalId: 1001 },
  });
  expect((await end("terminateVirtualMachineRental", 1001)).status).toBe(400);
  expect(await sandbox.ask("getRental", { rentalId: "1001" })).toMatchObject({ state: "terminated" });
});

test("a rental has the price of its rental option", async () => {
  const sandbox = await openSandbox();
  const { body } = await sandbox.assumed("listRentalOptions");
  const options = assumedOperations.listRentalOptions.output.parse(body);
  const option = options.find(
    ({ machineType, gpuType, gpuCount }) =>
      machineType === "virtual-machine" && gpuType === "h200" && gpuCount === 4,
  );
  const rental = await sandbox.ask("createVirtualMachineRental", { gpuCount: 4, gpuType: "h200" });
  expect(rental.costPerHourCents).toBe(option?.costPerHourCents);
});

test("usage is paged, and its sum is the spent amount of the balance and the total of the invoice", async () => {
  const sandbox = await openSandbox();
  for (let made = 0; made < 3; made += 1) await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  sandbox.advance(2 * second + hour);
  const first = await sandbox.assumed("listUsage", { limit: 2 });
  expect(first.body).toMatchObject({
    items: [{ amountCents: 200 }, { amountCents: 200 }],
    nextCursor: "1002",
  });
  const last = await sandbox.assumed("listUsage", { limit: 2, cursor: "1002" });
  expect(last.body).toMatchObject({ items: [{ rentalId: 1003 }], nextCursor: null });
  expect((await sandbox.assumed("getBalance")).body).toMatchObject({
    spentCents: 600,
    balanceCents: 999_400,
  });
  expect((await sandbox.assumed("listInvoices")).body).toMatchObject([{ totalCents: 600, status: "open" }]);
});

test("a fault affects an assumed operation, and the log names the fault and the operation", async () => {
  const { run } = await createCli();
  expect((await run("sandbox fault add --operation listApiKeys --status 500")).code).toBe(0);
  const failed = await run("api call listApiKeys --sandbox --retries 0");
  expect(failed).toMatchObject({ code: 7, err: expect.stringContaining("INTERNAL_SERVER_ERROR") });
  expect((await run("api call listApiKeys --sandbox")).code).toBe(0);
  const noted = JSON.parse((await run("sandbox requests -o json")).out);
  const call = { method: "GET", path: "/v2/api-keys", operation: "listApiKeys" };
  expect(
    noted.filter(({ operation }: { operation: string }) => operation !== "getOpenApiDocument"),
  ).toMatchObject([
    { ...call, status: 500, fault: 1, code: "INTERNAL_SERVER_ERROR" },
    { ...call, status: 200, fault: null, code: null },
  ]);
});

test("the documented assumptions cover keys, termination, rental options, usage and the balance", () => {
  expect(sandboxLimits.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["ssh-keys", "api-keys", "termination", "rental-options", "usage", "balance"]),
  );
});
