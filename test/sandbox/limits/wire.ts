import { expect } from "vitest";
import { everyOperation, openSandbox, origin } from "../harness.ts";
import type { Checks } from "./check.ts";

const reservation = `${origin}/v2/on-demand/request-reservation`;

async function post(body: string, contentType = "application/json") {
  const sandbox = await openSandbox();
  const headers = { authorization: `Bearer ${sandbox.keys.full}`, "content-type": contentType };
  return sandbox.fetch(new Request(reservation, { method: "POST", headers, body }));
}

export const wireChecks = {
  user: async () => {
    const sandbox = await openSandbox();
    expect(await sandbox.ask("updateCurrentUser", {})).toMatchObject({ user: { onboardedFor: "testing" } });
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    await sandbox.ask("deleteCurrentUser");
    expect(sandbox.status()).toMatchObject({ rentals: { active: 0, ended: 1 }, userExists: false });
    expect((await sandbox.call("listStorageVolumes")).status).toBe(401);
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
  browsers: async () => {
    const sandbox = await openSandbox();
    const headers = { origin: "https://example.com" };
    const answer = await sandbox.fetch(new Request(`${origin}/v2/openapi.json`, { headers }));
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  },
  bodies: async () => {
    expect((await post('{"gpuCount":8,"unknown":1}', "text/plain")).status).toBe(200);
  },
  "body-size": async (text) => {
    expect(text).toContain("32 MiB");
    const size = 32 * 1024 * 1024;
    expect((await post(`{"gpuCount":8}${" ".repeat(size - 14)}`)).status).toBe(200);
    expect((await post(`{"gpuCount":8}${" ".repeat(size - 13)}`)).status).toBe(413);
  },
  methods: async () => {
    const sandbox = await openSandbox();
    expect((await sandbox.fetch(new Request(reservation))).status).toBe(404);
  },
  issues: async () => {
    const sandbox = await openSandbox();
    expect(await sandbox.issuesOf("requestReservation", {})).toEqual([
      { path: ["gpuCount"], message: "is required" },
    ]);
    expect(await sandbox.issuesOf("generateAudio", {})).toEqual([{ path: ["text"], message: "is required" }]);
  },
  "rate-limits": async () => {
    const sandbox = await openSandbox();
    const answers = await Promise.all(Array.from({ length: 200 }, () => sandbox.call("listStorageVolumes")));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  },
  access: async () => {
    const sandbox = await openSandbox();
    await sandbox.seed("keys: [{ value: key-of-nobody, access: revoked }]");
    const { readOnly } = sandbox.keys;
    expect((await sandbox.call("listStorageVolumes", {}, readOnly)).status).toBe(200);
    expect((await sandbox.call("createStorageVolume", { nonsense: 1 }, readOnly)).status).toBe(403);
    expect((await sandbox.call("listStorageVolumes", {}, "key-of-nobody")).status).toBe(401);
  },
  headers: async () => {
    const sandbox = await openSandbox();
    for (const id of everyOperation) {
      expect((await sandbox.call(id, {}, null)).headers.get("x-gpuctl-sandbox")).toBe("1");
    }
    expect((await sandbox.call("getOpenApiDocument")).headers.has("etag")).toBe(true);
    expect((await sandbox.call("updateCurrentUserLegacy")).headers.get("deprecation")).toBe("true");
  },
} satisfies Checks;
