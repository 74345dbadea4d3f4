import { expect, test } from "vitest";
import { openSandbox, origin } from "./harness.ts";

const vm = { rentalType: "virtual-machine", gpuCount: 1 };
const metal = { rentalType: "bare-metal", gpuCount: 8, networkType: "ethernet" };
const rentals = "/v2/on-demand/rentals";

/** A sandbox, and a function that sends a request with a full-access key to a path and returns the status. */
async function opened() {
  const sandbox = await openSandbox();
  const headers = { authorization: `Bearer ${sandbox.keys.full}` };
  const send = async (path: string, body?: object | string): Promise<number> => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const init = text === undefined ? {} : { method: "POST", body: text };
    return (await sandbox.fetch(new Request(origin + path, { headers, ...init }))).status;
  };
  return { sandbox, send };
}

// The documented operations on rentals are deprecated. The description names a replacement for each.
test("deprecated operations and the replacements that the description names work side by side", async () => {
  const { sandbox, send } = await opened();
  await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  expect(await send(rentals, vm)).toBe(200);
  expect(await send(rentals, metal)).toBe(200);
  expect(await sandbox.ask("listVirtualMachineRentals")).toMatchObject([{ id: 1001 }, { id: 1002 }]);
  expect(await sandbox.ask("listBareMetalRentals")).toMatchObject([{ id: 1003 }]);
  const { paths } = await sandbox.ask("getOpenApiDocument");
  const described = JSON.stringify(paths).matchAll(/"[^"]*Use (\w+) (\/\S+?)(?: with \w+ [\w-]+)?\./g);
  const named = [...described].map(([, method = "", path = ""]) => `${method} ${path}`);
  expect([...new Set(named)].sort()).toEqual([
    "DELETE /v2/users/me",
    `GET ${rentals}/active`,
    `GET ${rentals}/history`,
    `POST ${rentals}`,
    "PUT /v2/users/me",
  ]);
});

test("a fault of a deprecated operation affects calls of its replacement, but not calls for another type of rental", async () => {
  const { sandbox, send } = await opened();
  const operation = "createVirtualMachineRental";
  sandbox.faults.add({ operation, status: 503, times: 2, where: { gpuCount: 1 } });
  expect(await send(rentals, metal)).toBe(200);
  expect(await send(rentals, vm)).toBe(503);
  expect((await sandbox.call(operation, { gpuCount: 1 })).status).toBe(503);
  expect(await send(rentals, vm)).toBe(200);
  sandbox.faults.add({ operation, status: 503, times: 2 });
  expect(await send(rentals, "not JSON")).toBe(503);
  expect(await send(rentals, vm)).toBe(503);
  sandbox.faults.add({ operation: "listRentalHistory", status: 500 });
  expect(await send(`${rentals}/history`)).toBe(500);
});

test("a fault of a replacement does not affect the deprecated operation", async () => {
  const { sandbox, send } = await opened();
  sandbox.faults.add({ operation: "createRental", status: 503 });
  expect((await sandbox.call("createVirtualMachineRental", { gpuCount: 1 })).status).toBe(200);
  expect(await send(rentals, vm)).toBe(503);
});

test("a fault of a deprecated list operation can name a field that only the replacement has", async () => {
  const { sandbox, send } = await opened();
  sandbox.faults.add({ operation: "listRentalHistory", status: 503, where: { limit: 5 } });
  expect(await send(`${rentals}/history?limit=6`)).toBe(200);
  expect(await send(`${rentals}/history?limit=5`)).toBe(503);
});

test("a rate limit of a deprecated operation counts calls of its replacement", async () => {
  const { sandbox, send } = await opened();
  sandbox.situations.add({ kind: "rate-limit", operation: "createVirtualMachineRental", requests: 2 });
  expect(await send(rentals, metal)).toBe(200);
  expect(await send(rentals, vm)).toBe(200);
  expect((await sandbox.call("createVirtualMachineRental", { gpuCount: 1 })).status).toBe(200);
  expect(await send(rentals, vm)).toBe(429);
  expect(await send(rentals, metal)).toBe(200);
});

test("a filter of the request log for a deprecated operation also finds calls of its replacement", async () => {
  const { sandbox, send } = await opened();
  await send(rentals, vm);
  await send(rentals, metal);
  await send(`${rentals}/active?rentalType=bare-metal`);
  await send(`${rentals}/active`);
  await sandbox.call("createVirtualMachineRental", { gpuCount: 1 });
  const count = (operation: string) => sandbox.requests.count({ operation });
  expect([
    count("createRental"),
    count("createVirtualMachineRental"),
    count("createBareMetalRental"),
  ]).toEqual([1 + 1, 2, 1]);
  expect([count("listVirtualMachineRentals"), count("listBareMetalRentals")]).toEqual([1, 2]);
  const where = { gpuCount: 8 };
  const expectation = { operation: "createBareMetalRental", where, count: 1 };
  expect(sandbox.requests.expect(expectation)).toMatchObject({ met: true });
  expect(sandbox.requests.expect({ ...expectation, operation: "createVirtualMachineRental" })).toMatchObject({
    met: false,
  });
});
