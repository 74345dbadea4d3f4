import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { busyMs } from "../../../src/sandbox/store/store.ts";
import { everyOperation, openSandbox, origin, start } from "../harness.ts";
import type { Checks } from "./check.ts";

const reservation = `${origin}/v2/on-demand/request-reservation`;

async function post(body: string, contentType = "application/json") {
  const sandbox = await openSandbox();
  const headers = { authorization: `Bearer ${sandbox.keys.full}`, "content-type": contentType };
  return sandbox.fetch(new Request(reservation, { method: "POST", headers, body }));
}

/**
 * Sends a request, with the full-access key unless `headers` sets `authorization`. Returns the response with its status
 * and text.
 */
async function send(path: string, { method = "GET", headers = {}, body }: RequestInit = {}) {
  const sandbox = await openSandbox();
  const init = { method, headers: { authorization: `Bearer ${sandbox.keys.full}`, ...headers } };
  const response = await sandbox.fetch(
    new Request(origin + path, { ...init, ...(body != null && { body }) }),
  );
  return { response, status: response.status, text: await response.text() };
}

const rentals = "/v2/on-demand/virtual-machine-rentals";

export const wireChecks = {
  hosts: async () => {
    const sandbox = await openSandbox();
    for (const host of ["http://one.test", "https://other.test:8443"]) {
      for (const path of ["/v2/openapi.json", "/v1/models"]) {
        const headers = { authorization: `Bearer ${sandbox.keys.full}` };
        expect((await sandbox.fetch(new Request(host + path, { headers }))).status).toBe(200);
      }
    }
  },
  order: async () => {
    const sandbox = await openSandbox();
    const { readOnly } = sandbox.keys;
    const large = { padding: "x".repeat(33 * 1024 * 1024) };
    const statusOf = async (
      id: "createStorageVolume" | "updateCurrentUserLegacy",
      input: object,
      key: string,
    ) => (await sandbox.call(id, input, key)).status;
    sandbox.faults.add({ operation: "createStorageVolume", status: 503 });
    expect(await statusOf("createStorageVolume", large, "unknown-key")).toBe(503);
    expect(await statusOf("createStorageVolume", large, "unknown-key")).toBe(401);
    expect(await statusOf("createStorageVolume", large, readOnly)).toBe(403);
    expect(await statusOf("createStorageVolume", large, sandbox.keys.full)).toBe(413);
    expect(await statusOf("createStorageVolume", {}, sandbox.keys.full)).toBe(400);
    sandbox.faults.add({ operation: "updateCurrentUserLegacy", status: 503 });
    sandbox.clock.set(Date.parse("2027-03-01"));
    expect(await statusOf("updateCurrentUserLegacy", {}, "unknown-key")).toBe(404);
    expect(sandbox.faults.list().at(-1)?.left).toBe(1);
  },
  paths: async () => {
    expect((await send(rentals)).status).toBe(200);
    for (const path of [`${rentals}/`, rentals.replace("/v2/", "/V2/"), `/${rentals}`, "/", "/nowhere"]) {
      expect((await send(path)).status).toBe(404);
      expect((await send(path, { headers: { authorization: "" } })).status).toBe(404);
    }
  },
  methods: async () => {
    expect((await send("/v2/on-demand/request-reservation")).status).toBe(404);
    expect(await send(rentals, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
    expect((await send(rentals, { method: "HEAD", headers: { authorization: "" } })).status).toBe(401);
    for (const path of [rentals, "/nowhere"]) {
      const bare = { method: "OPTIONS", headers: { authorization: "" } };
      expect(await send(path, bare)).toMatchObject({ status: 204, text: "" });
    }
  },
  credentials: async () => {
    const key = "gpuctl-sandbox-full";
    for (const authorization of [`bearer ${key}`, `BEARER  ${key} `]) {
      expect((await send(rentals, { headers: { authorization } })).status).toBe(200);
    }
    for (const authorization of ["", key, `Basic ${key}`, `Bearer ${key}s`, `Bearer ${key} more`, "Bearer"]) {
      const { status, text } = await send(rentals, { headers: { authorization } });
      expect([status, JSON.parse(text).message]).toEqual([401, "Authorization not provided"]);
    }
  },
  access: async () => {
    const sandbox = await openSandbox();
    await sandbox.seed("keys: [{ value: revoked-key, access: revoked }]");
    const { readOnly } = sandbox.keys;
    expect((await sandbox.call("listStorageVolumes", {}, readOnly)).status).toBe(200);
    expect((await sandbox.call("createStorageVolume", { nonsense: 1 }, readOnly)).status).toBe(403);
    expect((await sandbox.call("createChatCompletion", {}, readOnly)).status).toBe(403);
    expect((await sandbox.call("listStorageVolumes", {}, "revoked-key")).status).toBe(401);
  },
  "own-keys": async (text) => {
    const [one, other] = [await openSandbox(), await openSandbox()];
    expect(one.keys).toEqual(other.keys);
    for (const key of Object.values(one.keys)) expect(text).toContain(key);
    for (const sandbox of [one, other]) {
      for (const made of ["gpuctl-sandbox-000000000001", "gpuctl-sandbox-000000000002"]) {
        expect(text).toContain(made);
        expect((await sandbox.assumed("createApiKey", { name: "ci" })).body).toMatchObject({ apiKey: made });
      }
    }
  },
  "key-names": async (text) => {
    expect(text).toContain("1 to 255 characters");
    const sandbox = await openSandbox();
    const publicKey = "ssh-ed25519 AAAAC3Nza";
    for (const [name, status] of [
      ["", 400],
      ["a", 200],
      ["a", 200],
      ["a".repeat(255), 200],
      ["a".repeat(256), 400],
    ] as const) {
      expect((await sandbox.assumed("createApiKey", { name })).status).toBe(status);
      expect((await sandbox.assumed("createSshKey", { name, publicKey })).status).toBe(status);
    }
  },
  bodies: async () => {
    for (const type of ["text/plain", "application/json; charset=utf-16"]) {
      expect((await post('\ufeff{"gpuCount":8,"unknown":1,"__proto__":2}', type)).status).toBe(200);
    }
    expect(await (await post('{"gpuCount":1,"gpuCount":2}')).json()).toMatchObject({
      message: expect.stringContaining("for 2 GPUs"),
    });
    const { text } = await send(rentals, { method: "POST", body: '{"gpuCount":1,"label":"Zoë"}' });
    expect(JSON.parse(text).label).toBe("Zoë");
  },
  nulls: async () => {
    const sandbox = await openSandbox();
    for (const field of ["label", "customPorts", "termType", "sshPublicKeyId", "convertToOnDemandOnExpiry"]) {
      const issues = await sandbox.issuesOf("createVirtualMachineRental", { gpuCount: 1, [field]: null });
      expect(issues).toMatchObject([{ path: [field] }]);
    }
    const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "hi" }] };
    const optional = [
      "max_tokens",
      "temperature",
      "stream",
      "stream_options",
      "stop",
      "n",
      "max_completion_tokens",
      "top_p",
    ];
    const nulls = Object.fromEntries(optional.map((name) => [name, null]));
    expect((await sandbox.call("createChatCompletion", { ...chat, ...nulls })).status).toBe(200);
  },
  query: async () => {
    for (const [query, status] of [
      ["includeClusterPools=true", 200],
      ["includeClusterPools=1", 400],
      ["includeClusterPools=yes", 400],
      ["includeClusterPools=", 400],
      ["includeClusterPools=true&includeClusterPools=true", 400],
      ["nothing=1&nothing=2", 200],
    ]) {
      expect((await send(`${rentals}?${query}`)).status).toBe(status);
    }
    for (const [limit, status] of [
      ["10", 200],
      ["1e1", 200],
      ["0x10", 400],
      ["010", 400],
      ["%2010", 400],
    ]) {
      expect((await send(`/v2/billing/usage?limit=${limit}`)).status).toBe(status);
    }
  },
  pages: async (text) => {
    expect(text).toContain("20 lines");
    expect(text).toContain("up to 100");
    const sandbox = await openSandbox();
    await sandbox.seed(
      JSON.stringify({
        rentals: Array.from({ length: 101 }, () => ({ rentalType: "virtual-machine", gpuCount: 1 })),
      }),
    );
    const page = async (input: object) => Object((await sandbox.assumed("listUsage", input)).body);
    expect((await page({})).items).toHaveLength(20);
    expect(await page({ limit: 100 })).toMatchObject({ nextCursor: "1100" });
    expect(await page({ cursor: "1100" })).toMatchObject({ items: [{ rentalId: 1101 }], nextCursor: null });
    expect((await sandbox.assumed("listUsage", { limit: 101 })).status).toBe(400);
  },
  "unknown-things": async () => {
    const sandbox = await openSandbox();
    await sandbox.ask("createBareMetalRental", { gpuCount: 8, networkType: "ethernet" });
    await sandbox.ask("createStorageVolume", { label: "data", region: "eu-west-3", sizeInGb: 256 });
    expect((await sandbox.assumed("terminateBareMetalRental", { rentalId: 1001 })).status).toBe(200);
    const term = { termPeriodDays: 1, expectedTotalPriceCents: 1 };
    const until = { ...term, expectedReservedUntil: "2030-01-01T00:00:00Z" };
    for (const rentalId of [1001, 9999, "x"]) {
      expect((await sandbox.assumed("terminateBareMetalRental", { rentalId })).status).toBe(400);
      await sandbox.issuesOf("convertToReserved", { rentalId, ...term });
      await sandbox.issuesOf("extendReserved", { rentalId, ...until });
      await sandbox.issuesOf("attachStorageVolume", { storageVolumeId: 501, rentalIds: [rentalId] });
    }
    for (const id of ["revokeApiKey", "deleteSshKey"] as const) {
      expect((await sandbox.assumed(id, { id: 99 })).status).toBe(404);
    }
  },
  user: async () => {
    const sandbox = await openSandbox();
    expect(await sandbox.ask("updateCurrentUser", {})).toMatchObject({ user: { onboardedFor: "testing" } });
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    await sandbox.ask("deleteCurrentUser");
    expect(sandbox.status()).toMatchObject({ rentals: { active: 0, ended: 1 }, userExists: false });
    for (const id of everyOperation.filter((one) => one !== "getOpenApiDocument")) {
      expect((await sandbox.call(id)).status).toBe(401);
    }
    sandbox.reset();
    expect((await sandbox.call("listStorageVolumes")).status).toBe(200);
  },
  sunset: async () => {
    const sandbox = await openSandbox();
    sandbox.clock.set(Date.parse("2027-03-01") - 1);
    expect((await sandbox.call("updateCurrentUserLegacy")).status).toBe(200);
    sandbox.clock.advance(1);
    expect((await sandbox.call("updateCurrentUserLegacy")).status).toBe(404);
    expect(Object.keys((await sandbox.ask("getOpenApiDocument")).paths)).not.toContain("/users/me");
  },
  browsers: async (text) => {
    const headers = { origin: "https://example.com" };
    const { response } = await send("/v2/openapi.json", { headers });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const readable = response.headers.get("access-control-expose-headers")?.split(",") ?? [];
    expect(readable).toContain("Retry-After");
    expect(text).toContain(readable.join(", "));
    const preflight = {
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization,x-any",
    };
    const { response: allowed } = await send(rentals, {
      method: "OPTIONS",
      headers: { ...headers, ...preflight },
    });
    expect(allowed.headers.get("access-control-allow-headers")).toBe("authorization,x-any");
    const methods = allowed.headers.get("access-control-allow-methods")?.split(",");
    expect(methods?.toSorted()).toEqual(["DELETE", "GET", "HEAD", "POST", "PUT"]);
  },
  "body-size": async (text) => {
    expect(text).toContain("32 MiB");
    const size = 32 * 1024 * 1024;
    expect((await post(`{"gpuCount":8}${" ".repeat(size - 14)}`)).status).toBe(200);
    const response = await post(`{"gpuCount":8}${" ".repeat(size - 13)}`);
    expect([response.status, await response.json()]).toMatchObject([413, { code: "PAYLOAD_TOO_LARGE" }]);
    expect(text).toContain("PAYLOAD_TOO_LARGE");
    expect(text).toContain("100000 values");
    const values = (count: number) => post(`{"gpuCount":8,"extra":[${"0,".repeat(count - 3)}0]}`);
    expect((await values(100_000)).status).toBe(200);
    expect(await (await values(100_001)).json()).toMatchObject({
      issues: [{ path: [], message: "the body has more than 100000 values" }],
    });
  },
  issues: async () => {
    const sandbox = await openSandbox();
    expect(await sandbox.issuesOf("requestReservation", {})).toEqual([
      { path: ["gpuCount"], message: "is required" },
    ]);
    const speech = await sandbox.call("generateAudio", {});
    expect(await speech.json()).toEqual({
      code: "BAD_REQUEST",
      message: "Invalid input data",
      issues: [{ path: ["text"], message: "is required" }],
      error: {
        message: "Invalid input data: text is required",
        type: "invalid_request_error",
        param: "text",
        code: "BAD_REQUEST",
      },
    });
  },
  "rate-limits": async () => {
    const sandbox = await openSandbox();
    const responses = await Promise.all(
      Array.from({ length: 200 }, () => sandbox.call("listStorageVolumes")),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  },
  headers: async (text) => {
    expect(text).toContain("X-Gpuctl-Sandbox");
    const sandbox = await openSandbox();
    sandbox.clock.advance(86_400_000);
    const date = new Date(start + 86_400_000).toUTCString();
    const sandboxHeaders = ({ headers }: Response) => [headers.get("x-gpuctl-sandbox"), headers.get("date")];
    for (const id of everyOperation)
      expect(sandboxHeaders(await sandbox.call(id, {}, null))).toEqual(["1", date]);
    for (const [method, path] of [
      ["GET", "/nowhere"],
      ["OPTIONS", rentals],
      ["HEAD", rentals],
    ] as const) {
      expect(sandboxHeaders(await sandbox.fetch(new Request(origin + path, { method })))).toEqual([
        "1",
        date,
      ]);
    }
    sandbox.faults.add({ operation: "*", garbage: true });
    expect(sandboxHeaders(await sandbox.call("listStorageVolumes"))).toEqual(["1", date]);
    const controlRequest = new Request("http://localhost/_sandbox/status", {
      headers: { host: "localhost" },
    });
    const control = await sandbox.handleControl(controlRequest, { peer: "127.0.0.1" });
    expect(control && sandboxHeaders(control)).toEqual(["1", date]);
    expect((await sandbox.call("updateCurrentUserLegacy")).headers.get("deprecation")).toBe("true");
  },
  description: async () => {
    const sandbox = await openSandbox();
    const get = (headers: Record<string, string> = {}) =>
      sandbox.fetch(new Request("http://api.test:8080/v2/openapi.json", { headers }));
    const first = await get();
    const etag = first.headers.get("etag") ?? "";
    expect(await first.json()).toMatchObject({ servers: [{ url: "http://api.test:8080" }] });
    expect((await get({ "if-none-match": etag })).status).toBe(304);
    sandbox.clock.set(Date.parse("2027-03-01"));
    expect((await get({ "if-none-match": etag })).status).toBe(200);
  },
  processes: async (text) => {
    const folder = mkdtempSync(join(tmpdir(), "gpuctl-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(text).toContain("10 s");
    expect(busyMs).toBe(10_000);
    const [one, other] = [
      await openSandbox({ file: join(folder, "state") }),
      await openSandbox({ file: join(folder, "state") }),
    ];
    const create = (sandbox: typeof one) => sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    const made = await Promise.all([one, other, one, other].map(create));
    expect(made.map(({ id }) => id).toSorted()).toEqual([1001, 1002, 1003, 1004]);
  },
} satisfies Checks;
