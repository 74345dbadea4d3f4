import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { CannotListen, createSandbox, StoreError } from "../../src/library/sandbox.ts";
import { deadOrigin } from "../client/server.ts";
import { chatEngine } from "../support/engines.ts";
import { clientOf, openSandbox } from "./harness.ts";

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2026, 10, 20, 12);
const path = "/v2/on-demand/storage-volumes";

describe("the sandbox's fetch", () => {
  test("accepts a URL, a path or a Request, and options", async () => {
    const { sandbox } = await openSandbox();
    const headers = { authorization: `Bearer ${sandbox.keys.full}` };
    for (const target of [path, sandbox.url + path, new URL(path, "https://api.example.com")]) {
      expect(await (await sandbox.fetch(target, { headers })).json()).toEqual([]);
    }
    expect((await sandbox.fetch(new Request(sandbox.url + path))).status).toBe(401);
    expect((await sandbox.fetch(new Request(sandbox.url + path), { headers })).status).toBe(200);
    const post = { method: "POST", headers, body: '{"gpuCount":8}' };
    expect((await sandbox.fetch("/v2/on-demand/request-reservation", post)).status).toBe(200);
  });

  test("rejects with the reason of an aborted signal", async () => {
    const { sandbox } = await openSandbox();
    await expect(sandbox.fetch(path, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
    const controller = new AbortController();
    const response = sandbox.fetch("/v1/audio/generation", {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.keys.full}` },
      body: '{"text":"a long text"}',
      signal: controller.signal,
    });
    controller.abort(new Error("enough"));
    await expect(response).rejects.toThrow("enough");
  });

  test("has a base URL even when the sandbox is not served", async () => {
    const { sandbox } = await openSandbox();
    expect(sandbox.url).toBe("http://sandbox.localhost");
  });
});

describe("a sandbox that is served over HTTP", () => {
  test("uses a free local port by default, and its fetch sees changes made over HTTP", async () => {
    const sandbox = await createSandbox();
    onTestFinished(sandbox.close);
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const client = clientOf(sandbox.url, { apiKey: sandbox.keys.full });
    const rental = await client.createVirtualMachineRental({ gpuCount: 1 });
    const headers = { authorization: `Bearer ${sandbox.keys.full}` };
    const seen = await sandbox.fetch("/v2/on-demand/virtual-machine-rentals", { headers });
    expect(await seen.json()).toEqual([rental]);
  });

  test("uses the given port, and a port that is in use causes a clear error", async () => {
    const port = Number(new URL(await deadOrigin()).port);
    const { sandbox } = await openSandbox({ serve: true, port });
    expect(sandbox.url).toBe(`http://127.0.0.1:${port}`);
    await expect(createSandbox({ port })).rejects.toThrow(CannotListen);
  });

  test("stops when it is closed, even twice", async () => {
    const sandbox = await createSandbox();
    await sandbox[Symbol.asyncDispose]();
    await sandbox.close();
    const client = clientOf(sandbox.url, { retries: 0 });
    await expect(client.listStorageVolumes()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("a sandbox that is limited to a set of operations", () => {
  test("has only those operations", async () => {
    const { sandbox, client } = await openSandbox({ only: "legacy" });
    await expect(client.listVirtualMachineRentals()).resolves.toEqual([]);
    expect((await sandbox.fetch("/users/me", { method: "PUT" })).status).toBe(401);
    expect((await sandbox.fetch("/v2/users/me", { method: "PUT" })).status).toBe(404);
  });

  test("is not created with an unknown set, and the error lists the sets", async () => {
    await expect(openSandbox(JSON.parse('{"only":"newest"}'))).rejects.toThrow(
      'only must be one of documented, replacements, legacy, not "newest"',
    );
  });
});

describe("a seed", () => {
  const rentals = [{ rentalType: "virtual-machine", gpuCount: 1, label: "trainer" }] as const;
  const asText = "rentals: [{ rentalType: virtual-machine, gpuCount: 1, label: trainer }]";

  test.each([[{ rentals: [...rentals] }], [asText]])("%o is what a reset restores", async (seed) => {
    const { sandbox, client } = await openSandbox({ seed });
    const labels = async () => (await client.listVirtualMachineRentals()).map(({ label }) => label);
    expect(await labels()).toEqual(["trainer"]);
    await client.createVirtualMachineRental({ gpuCount: 1, label: "other" });
    sandbox.advance("1h");
    sandbox.reset();
    expect(await labels()).toEqual(["trainer"]);
    expect(await client.listVirtualMachineRentals()).toMatchObject([{ status: "Pending" }]);
  });

  test("can be combined with a scenario", async () => {
    const { client } = await openSandbox({ seed: asText, scenario: "capacity-crunch" });
    expect(await client.listVirtualMachineRentals()).toHaveLength(1);
    await expect(client.createVirtualMachineRental({ gpuCount: 1 })).rejects.toMatchObject({ status: 400 });
  });

  test.each([
    [{ rentals: [{ rentalType: "virtual-machine" }] }, "rentals.0.gpuCount is required"],
    [{ rental: [] }, "rental is not a field of a seed"],
    [
      {
        volumes: [
          { region: "us-central-1", label: "data", sizeInGb: 512, createdAt: "2999-01-01T00:00:00Z" },
        ],
      },
      "must not be later",
    ],
    ["", "the seed is empty"],
    [[], "the seed must be a map"],
  ])("%o is rejected", async (seed, message) => {
    const opened = createSandbox({ serve: false, seed: seed as string });
    await expect(opened).rejects.toMatchObject({
      name: "ControlRefused",
      message: expect.stringContaining(message),
    });
  });
});

describe("situations", () => {
  const machine = { gpuCount: 1 };

  test("a scenario that was set at the start can be ended, and a reset restores it", async () => {
    const { sandbox, client } = await openSandbox({ scenario: "capacity-crunch" });
    await expect(client.createVirtualMachineRental(machine)).rejects.toMatchObject({ status: 400 });
    sandbox.scenario("none");
    await client.createVirtualMachineRental(machine);
    sandbox.reset();
    expect(await client.listVirtualMachineRentals()).toEqual([]);
    await expect(client.createVirtualMachineRental(machine)).rejects.toMatchObject({ status: 400 });
  });

  test("a situation interrupts a rental at a given time", async () => {
    const { sandbox, client } = await openSandbox({ now: () => start });
    sandbox.situation({ kind: "interruption", after: "10m" });
    await client.createVirtualMachineRental(machine);
    sandbox.advance("11m");
    expect(await client.listRentalHistory()).toMatchObject([{ terminatedAt: "2026-11-20T12:10:02.000Z" }]);
  });
});

describe("time", () => {
  test.each([
    [30 * day, "2026-12-20T12:00:00.000Z"],
    ["30d", "2026-12-20T12:00:00.000Z"],
    ["1h30m", "2026-11-20T13:30:00.000Z"],
  ])("advances by %s immediately", async (span, then) => {
    const { sandbox, client } = await openSandbox({ now: () => start });
    sandbox.advance(span);
    expect(await client.createVirtualMachineRental({ gpuCount: 1 })).toMatchObject({ createdAt: then });
  });

  test("starts machines and ends reserved terms", async () => {
    const { sandbox, client } = await openSandbox({ now: () => start });
    const { id } = await client.createVirtualMachineRental({
      gpuCount: 1,
      termType: "reserved",
      termPeriodDays: 30,
      convertToOnDemandOnExpiry: false,
    });
    const rentalId = String(id);
    expect(await client.getRental({ rentalId })).toMatchObject({ status: "Pending" });
    sandbox.advance("5s");
    expect(await client.getRental({ rentalId })).toMatchObject({ status: "Running" });
    sandbox.advance("30d");
    expect(await client.getRental({ rentalId })).toMatchObject({ state: "terminated" });
  });

  test.each([-1, Number.NaN, "soon", "5", "-1d"])("cannot be advanced by %o", async (span) => {
    const { sandbox } = await openSandbox();
    expect(() => sandbox.advance(span)).toThrow(RangeError);
  });
});

describe("state", () => {
  test("is the initial state after a reset, including the time", async () => {
    const { sandbox, client } = await openSandbox({ now: () => start });
    await client.createVirtualMachineRental({ gpuCount: 1 });
    sandbox.advance("1d");
    sandbox.reset();
    expect(await client.listVirtualMachineRentals()).toEqual([]);
    expect(await client.createVirtualMachineRental({ gpuCount: 1 })).toMatchObject({
      createdAt: new Date(start).toISOString(),
    });
  });

  test("is not shared by two sandboxes in memory", async () => {
    const [one, other] = await Promise.all([openSandbox(), openSandbox()]);
    await one.client.createVirtualMachineRental({ gpuCount: 1 });
    expect(await other.client.listVirtualMachineRentals()).toEqual([]);
  });

  test("is stored in a file when one is set", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gpuctl-library-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "state.sqlite");
    const first = await openSandbox({ file });
    await first.client.createVirtualMachineRental({ gpuCount: 1, label: "kept" });
    await first.sandbox.close();
    const second = await openSandbox({ file });
    expect(await second.client.listVirtualMachineRentals()).toMatchObject([{ label: "kept" }]);
  });

  test("in an unusable file causes a clear error", async () => {
    await expect(createSandbox({ file: tmpdir() })).rejects.toThrow(StoreError);
  });
});

test("a sandbox chats with an engine until the engine is cleared or the sandbox is reset", async () => {
  const { sandbox, client } = await openSandbox();
  const engine = await chatEngine();
  const messages = [{ role: "user", content: "hi" }];
  const answer = async () =>
    (await client.createChatCompletion({ model: "sandbox-echo", messages })).choices[0]?.message.content;
  sandbox.engine({ kind: "chat", url: engine.url, model: "qwen3" });
  expect(await answer()).toBe("Hello from the engine.");
  expect(engine.requests).toMatchObject([{ body: { model: "qwen3", messages } }]);
  sandbox.clearEngines();
  expect(await answer()).toContain("sandbox-echo heard: hi");
  sandbox.engine({ kind: "chat", url: engine.url });
  sandbox.reset();
  expect(await answer()).toContain("sandbox-echo heard: hi");
});

test("the requests that a client sent are listed, checked and cleared", async () => {
  const { sandbox, client } = await openSandbox();
  await client.createVirtualMachineRental({ gpuCount: 1, gpuType: "b200" });
  await client.getRental({ rentalId: "1001" });
  const creates = { operation: "createVirtualMachineRental", where: { gpuType: "b200" } };
  expect(sandbox.requests(creates)).toMatchObject([{ body: { gpuCount: 1, gpuType: "b200" }, status: 200 }]);
  expect(sandbox.requests({ limit: 1 })).toMatchObject([{ parameters: { rentalId: "1001" } }]);
  sandbox.expectRequests({ ...creates, count: 1 });
  expect(() => sandbox.expectRequests({ operation: "getRental", where: { rentalId: 7 } })).toThrow(
    expect.objectContaining({
      name: "ExpectationFailed",
      message:
        "expected at least 1 request with operation getRental, rentalId=7, but 0 of 3 logged requests match",
      issues: [{ path: "request 3", message: expect.stringContaining('rentalId is "1001"') }],
    }),
  );
  expect(() => sandbox.requests({ operation: "getRentals" })).toThrow("did you mean getRental?");
  sandbox.clearRequests(creates);
  expect(sandbox.requests(creates)).toEqual([]);
  expect(sandbox.requests()).toHaveLength(2);
});
