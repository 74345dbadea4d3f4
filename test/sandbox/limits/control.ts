import { expect } from "vitest";
import { operations } from "../../../src/contract/index.ts";
import { withDigest } from "../../../src/sandbox/control/snapshot.ts";
import { errorBody, openSandbox, origin, start } from "../harness.ts";
import type { Checks } from "./check.ts";

const day = 24 * 3600 * 1000;
const vm = { gpuCount: 1 };
const at = (ms: number) => new Date(start + ms).toISOString();

export const controlChecks = {
  clock: async () => {
    const sandbox = await openSandbox();
    sandbox.advance(day);
    expect(sandbox.clock.freeze().now).toBe(at(day));
    sandbox.advance(day);
    expect(sandbox.clock.show().now).toBe(at(day));
    expect(() => sandbox.clock.set(start)).toThrow("must not move the clock backward");
    expect(() => sandbox.clock.set(Date.UTC(10_000, 0))).toThrow("past 9999");
    expect(await sandbox.ask("createVirtualMachineRental", vm)).toMatchObject({ createdAt: at(day) });
  },
  "passing-time": async () => {
    const sandbox = await openSandbox();
    const term = {
      ...vm,
      termType: "reserved",
      termPeriodDays: 1,
      convertToOnDemandOnExpiry: false,
    } as const;
    await sandbox.ask("createVirtualMachineRental", term);
    sandbox.clock.advance(100 * day);
    expect(await sandbox.ask("listRentalHistory")).toMatchObject([
      { startedAt: at(2000), terminatedAt: at(2000 + day) },
    ]);
  },
  faults: async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain("Gpuctl-Sandbox-Fault");
    sandbox.faults.add({ operation: "createVirtualMachineRental", status: 500 });
    sandbox.faults.add({ operation: "*", status: 502, applied: true });
    sandbox.faults.add({ operation: "*", delayMs: 0 });
    const first = await sandbox.call("createVirtualMachineRental", { nonsense: 1 }, null);
    expect([first.status, first.headers.get("gpuctl-sandbox-fault")]).toEqual([500, "1"]);
    expect(sandbox.status().rentals.active).toBe(0);
    expect((await sandbox.call("createVirtualMachineRental", vm)).status).toBe(502);
    expect(sandbox.status().rentals.active).toBe(1);
    expect((await sandbox.call("createVirtualMachineRental", vm)).status).toBe(200);
    expect(sandbox.status()).toMatchObject({ rentals: { active: 2 }, faults: 0 });
    sandbox.faults.add({ operation: "*", status: 500 });
    expect((await sandbox.fetch(new Request(`${origin}/nowhere`))).status).toBe(404);
    expect((await sandbox.fetch(new Request(`${origin}/v1/models`, { method: "OPTIONS" }))).status).toBe(204);
    expect(sandbox.status().faults).toBe(1);
    sandbox.faults.clear();
    sandbox.faults.add({ operation: "*", status: 500, where: { gpuCount: 3 } });
    sandbox.faults.add({ operation: "*", status: 502, key: "readOnly" });
    sandbox.faults.add({ operation: "*", status: 503, caller: "somebody" });
    expect((await sandbox.call("createVirtualMachineRental", vm)).status).toBe(200);
    expect(sandbox.faults.list()).toMatchObject([{ left: 1 }, { left: 1 }, { left: 1 }]);
    for (const never of [{ where: { gpuCuont: 3 } }, { where: { gpuType: "b20" } }, { key: "nobody" }]) {
      const fault = { operation: "createVirtualMachineRental", status: 500, ...never };
      expect(() => sandbox.faults.add(fault)).toThrow();
    }
  },
  "fault-responses": async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain("wait 1 s");
    sandbox.faults.add({ operation: "*", status: 429, times: 2 });
    for (const id of ["listStorageVolumes", "createChatCompletion"] as const) {
      const response = await sandbox.call(id);
      expect(response.headers.get("retry-after")).toBe("1");
      expect(await response.json()).toEqual(
        errorBody(operations[id].path, "rate_limit_error", "TOO_MANY_REQUESTS", "Too many requests"),
      );
    }
    sandbox.faults.add({ operation: "*", status: 409, code: "SOLD_OUT" });
    expect(await (await sandbox.call("listStorageVolumes")).json()).toMatchObject({ code: "SOLD_OUT" });
    sandbox.faults.add({ operation: "*", body: "Log in first" });
    const page = await sandbox.call("listStorageVolumes");
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    sandbox.clock.freeze();
    sandbox.faults.add({ operation: "*", delayMs: 20 });
    const before = performance.now();
    await sandbox.call("listStorageVolumes");
    expect(performance.now() - before).toBeGreaterThan(15);
    expect(sandbox.clock.show().now).toBe(at(0));
  },
  requests: async (text) => {
    const sandbox = await openSandbox();
    expect(text).toContain("1000");
    await sandbox.fetch(new Request(`${origin}/v2/on-demand/rental?rentalId=1&key=${sandbox.keys.full}`));
    await sandbox.fetch(new Request(origin, { method: "OPTIONS" }));
    const headers = { host: "localhost" };
    await sandbox.handleControl(new Request("http://localhost/_sandbox/status", { headers }), {
      peer: "127.0.0.1",
    });
    expect(sandbox.requests.list({ limit: 5 })).toHaveLength(1);
    const header = { "gpuctl-sandbox-caller": "me" };
    const secret = { gpuCount: 1, label: sandbox.keys.full, api_key: "some-secret" };
    const init = { method: "POST", body: JSON.stringify(secret), headers: header };
    await sandbox.fetch(new Request(`${origin}/v2/on-demand/virtual-machine-rentals`, init));
    const [request] = sandbox.requests.list({ caller: "me" });
    expect(request?.body).toEqual({ gpuCount: 1, label: "...", api_key: "..." });
    await sandbox.call("requestReservation", { note: "a".repeat(5000) }, null);
    await sandbox.call("requestReservation", { notes: Array(20).fill("a".repeat(4000)) }, null);
    expect(sandbox.requests.list({ limit: 2 })).toMatchObject([
      { body: { note: `${"a".repeat(4096)}...` } },
      { body: null, bodyTruncated: true },
    ]);
    for (const header of [{ "transfer-encoding": "chunked" }, { "content-length": "65537" }]) {
      const refused = { method: "POST", body: "{}", headers: header };
      await sandbox.fetch(new Request(`${origin}/v2/on-demand/virtual-machine-rentals`, refused));
      expect(sandbox.requests.list({ limit: 1 })).toMatchObject([{ body: null, bodyTruncated: true }]);
    }
    expect(text).toContain("above 65536 bytes");
    for (let n = 0; n < 1000; n += 1) await sandbox.call("requestReservation", {}, null);
    const kept = sandbox.requests.list({ limit: 5000 });
    expect(kept).toHaveLength(1000);
    expect(JSON.stringify(kept)).not.toContain("gpuctl-sandbox-full");
  },
  seed: async (text) => {
    // test/sandbox/accounts.test.ts checks accounts, and test/commands/sandbox-situations.test.ts checks situations.
    expect(text).toContain("accounts (further users");
    expect(text).toContain("situations, boots and faults");
    const sandbox = await openSandbox();
    await sandbox.ask("createVirtualMachineRental", vm);
    await expect(sandbox.seed("rentals:\n".padEnd(1024 * 1024 + 1, "#"))).rejects.toThrow(
      "too large for YAML: it has more than 50000 tokens or 1 MiB",
    );
    await sandbox.seed(`{
      clock: { now: "2030-01-01T00:00:00Z", frozen: true }, user: { name: Ada }, balanceCents: 5,
      keys: [{ value: key-of-a-reader, name: reader, access: read-only }],
      sshKeys: [{ name: ada, publicKey: ssh-ed25519 AAAAC3Nza }],
      rentals: [{ rentalType: bare-metal, gpuCount: 8, networkType: ethernet, id: 5, sshNetworking: [{ host: localhost }] },
        { rentalType: virtual-machine, gpuCount: 1, createdAt: "2029-01-01T00:00:00Z", terminatedAt: "2029-02-01T00:00:00Z" }],
      volumes: [{ label: data, region: eu-west-3, sizeInGb: 256, id: 6, createdAt: "2029-01-01T00:00:00Z", rentalIds: [5] }] }`);
    expect(sandbox.status()).toMatchObject({ rentals: { active: 1, ended: 1 }, volumes: 1, frozen: true });
    expect((await sandbox.assumed("listApiKeys", {}, "key-of-a-reader")).body).toMatchObject([
      { access: "full" },
      { access: "read-only" },
      { name: "reader", access: "read-only" },
    ]);
    expect((await sandbox.assumed("listSshKeys")).body).toMatchObject([{ id: 1, name: "ada" }]);
    const seeded = "2030-01-01T00:00:00.000Z";
    expect(await sandbox.ask("listBareMetalRentals")).toMatchObject([
      { id: 5, status: "Pending", createdAt: seeded },
    ]);
    for (const id of ["listApiKeys", "listSshKeys"] as const) {
      const ages = Object((await sandbox.assumed(id)).body).map((one: object) => Object(one).createdAt);
      expect(new Set(ages)).toEqual(new Set([seeded]));
    }
    expect(await sandbox.ask("updateCurrentUser", {})).toMatchObject({
      user: { name: "Ada", createdAt: seeded },
    });
    expect(await sandbox.ask("listStorageVolumes")).toMatchObject([{ id: 6, rentalIds: [5] }]);
    sandbox.clock.advance(60_000);
    const [{ providerData } = {}] = await sandbox.ask("listBareMetalRentals");
    expect(providerData).toEqual({ sshNetworking: [{ host: "localhost", port: 22, user: "ubuntu" }] });
  },
  snapshot: async () => {
    const sandbox = await openSandbox();
    await sandbox.ask("createVirtualMachineRental", vm);
    sandbox.faults.add({ operation: "*", status: 500 });
    const text = JSON.stringify(sandbox.snapshot());
    sandbox.reset();
    sandbox.advance(day);
    sandbox.restore(text);
    expect(sandbox.status()).toMatchObject({ rentals: { active: 1 }, faults: 1, now: at(0) });
    expect(sandbox.requests.list({ limit: 50 })).toEqual([]);
    sandbox.advance(1);
    expect(sandbox.status().now).toBe(at(1));
    const { digest: _, ...held } = JSON.parse(text);
    for (const wrong of [
      { ...held, version: 99 },
      { ...held, clock: { ...held.clock, frozen: true }, digest: JSON.parse(text).digest },
      withDigest({ ...held, tables: { ...held.tables, keys: [] } }),
    ]) {
      expect(() => sandbox.restore(JSON.stringify(wrong))).toThrow("snapshot");
    }
  },
  reset: async () => {
    const sandbox = await openSandbox();
    await sandbox.ask("createVirtualMachineRental", vm);
    sandbox.clock.advance(day);
    sandbox.faults.add({ operation: "*", status: 500 });
    sandbox.boots.add({ outcome: "never" });
    sandbox.chatScript.set([{ text: "One" }]);
    sandbox.engines.save({ kind: "chat", url: "http://127.0.0.1:1" });
    sandbox.advance(5000);
    sandbox.reset();
    expect(sandbox.status()).toMatchObject({
      now: at(5000),
      rentals: { active: 0 },
      faults: 0,
      engines: { chat: null },
    });
    expect([sandbox.boots.list(), sandbox.chatScript.show()]).toEqual([[], []]);
    expect(sandbox.requests.list({ limit: 50 })).toEqual([]);
    expect(await sandbox.ask("updateCurrentUser", {})).toMatchObject({ user: { createdAt: at(5000) } });
    const own = [{ createdAt: at(5000) }, { createdAt: at(5000) }];
    expect((await sandbox.assumed("listApiKeys")).body).toMatchObject(own);
    expect(await sandbox.ask("createVirtualMachineRental", vm)).toMatchObject({ id: 1001 });
  },
  controls: async (text) => {
    const sandbox = await openSandbox();
    // test/sandbox/controls.test.ts checks the token and the description.
    expect(text).toContain("/_sandbox/openapi.json");
    expect(text).toContain("/_sandbox/");
    const send = (headers: Record<string, string>, peer: string) =>
      sandbox.handleControl(new Request("http://localhost/_sandbox/status", { headers }), { peer });
    const host = "localhost";
    expect((await send({ host }, "127.0.0.1"))?.status).toBe(200);
    expect((await send({ host }, "192.0.2.1"))?.status).toBe(403);
    expect((await send({ host: "example.com" }, "127.0.0.1"))?.status).toBe(403);
    expect((await send({ host, origin: "https://example.com" }, "127.0.0.1"))?.status).toBe(403);
    expect(JSON.stringify(await sandbox.ask("getOpenApiDocument"))).not.toContain("_sandbox");
  },
  page: async (text) => {
    const sandbox = await openSandbox();
    const send = (path: string, accept: string) =>
      sandbox.handleControl(
        new Request(`http://localhost${path}`, { headers: { accept, host: "localhost" } }),
        { peer: "127.0.0.1" },
      );
    for (const path of ["/", "/docs"]) {
      expect(text).toContain(`${path} `);
      expect((await send(path, "text/html"))?.status).toBe(200);
      expect(send(path, "application/json")).toBe(undefined);
    }
    expect(sandbox.requests.count()).toBe(0);
    // test/sandbox/page.test.ts checks how many recordings are kept.
    expect(text).toContain("the last 6 pictures and 6 recordings");
  },
} satisfies Checks;
