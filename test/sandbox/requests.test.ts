import { expect, test } from "vitest";
import { openSandbox, origin } from "./harness.ts";

const time = "2026-11-20T12:00:00.000Z";
const fine = { time, fault: null, code: null, issues: [] };

test("requests are logged in order, with their errors", async () => {
  const sandbox = await openSandbox();
  await sandbox.call("createVirtualMachineRental", {
    gpuCount: 1,
    customPorts: [0, 1],
    label: "secret plan",
  });
  await sandbox.call("getRental", { rentalId: "1001" });
  await sandbox.call("listStorageVolumes", {}, null);
  await sandbox.fetch(new Request(`${origin}/nowhere`));
  sandbox.faults.add({ operation: "listStorageVolumes", status: 503 });
  await sandbox.call("listStorageVolumes");
  sandbox.faults.add({ operation: "listStorageVolumes", reset: true });
  await sandbox.call("listStorageVolumes").catch(() => undefined);
  const vm = "/v2/on-demand/virtual-machine-rentals";
  const list = { method: "GET", path: "/v2/on-demand/storage-volumes", operation: "listStorageVolumes" };
  expect(sandbox.requests(50)).toEqual([
    {
      ...fine,
      number: 1,
      method: "POST",
      path: vm,
      operation: "createVirtualMachineRental",
      status: 400,
      code: "BAD_REQUEST",
      issues: ["customPorts.0"],
    },
    {
      ...fine,
      number: 2,
      method: "GET",
      path: "/v2/on-demand/rental?rentalId=1001",
      operation: "getRental",
      status: 200,
    },
    { ...fine, number: 3, ...list, status: 401, code: "UNAUTHORIZED" },
    { ...fine, number: 4, method: "GET", path: "/nowhere", operation: null, status: 404, code: "NOT_FOUND" },
    { ...fine, number: 5, ...list, status: 503, fault: 1, code: "SERVICE_UNAVAILABLE" },
    { ...fine, number: 6, ...list, status: null, fault: 2 },
  ]);
  expect(sandbox.requests(2).map(({ number }) => number)).toEqual([5, 6]);
});

test("a key is never logged, wherever a caller puts it", async () => {
  const sandbox = await openSandbox();
  const { full, readOnly } = sandbox.keys;
  const unknown = "sk-unknown/0123456789";
  const send = (path: string, key: string, init: RequestInit = {}) =>
    sandbox.fetch(new Request(`${origin}${path}`, { ...init, headers: { authorization: `Bearer ${key}` } }));
  await send(`/v2/on-demand/rental?rentalId=${full}`, full);
  await send(`/v2/on-demand/rental?rentalId=x&api_key=another-secret`, full);
  await send(`/v2/keys/${readOnly}`, full);
  await send(`/v2/on-demand/rental?rentalId=${encodeURIComponent(unknown)}`, unknown);
  await send(`/${unknown}`, unknown);
  await send("/v1/image/generation", full, {
    method: "POST",
    body: JSON.stringify({ model_name: "SDXL1.0-base", prompt: "p", lora: { [full]: 2 } }),
  });
  const noted = JSON.stringify(sandbox.requests(50));
  for (const secret of [full, readOnly, unknown, encodeURIComponent(unknown), "another-secret"]) {
    expect(noted).not.toContain(secret);
  }
  expect(sandbox.requests(50)).toHaveLength(6);
  expect(sandbox.requests(50)[1]?.path).toBe("/v2/on-demand/rental?rentalId=x&api_key=...");
});

test("the last 1000 requests are stored", async () => {
  const sandbox = await openSandbox();
  for (let call = 0; call < 1003; call += 1) await sandbox.fetch(new Request(`${origin}/${call}`));
  const kept = sandbox.requests(2000);
  expect(kept).toHaveLength(1000);
  expect([kept[0]?.path, kept.at(-1)?.path]).toEqual(["/3", "/1002"]);
});
