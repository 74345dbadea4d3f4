import { expect, test } from "vitest";
import { operations } from "../../src/contract/index.ts";
import { everyOperation, openSandbox, origin } from "./harness.ts";

const sunsetDay = Date.UTC(2027, 2, 1);

test.each(["updateCurrentUser", "updateCurrentUserLegacy"] as const)(
  "%s changes the given fields only",
  async (update) => {
    const sandbox = await openSandbox();
    expect(await sandbox.ask(update, { name: "Ada" })).toMatchObject({
      success: true,
      user: { id: expect.any(String), name: "Ada", onboardedFor: "testing", isActive: true },
    });
    expect(await sandbox.ask(update, { onboardedFor: "research" })).toMatchObject({
      user: { name: "Ada", onboardedFor: "research", createdAt: "2026-11-20T12:00:00.000Z" },
    });
    expect(await sandbox.ask(update, {})).toMatchObject({ success: true, user: { name: "Ada" } });
  },
);

test.each(["deleteCurrentUser", "deleteCurrentUserLegacy"] as const)(
  "%s ends the user's rentals, and disables the user's keys until a reset",
  async (remove) => {
    const sandbox = await openSandbox();
    await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
    expect(await sandbox.ask(remove)).toEqual({ success: true });
    for (const key of [sandbox.keys.full, sandbox.keys.readOnly]) {
      expect((await sandbox.call("listStorageVolumes", {}, key)).status).toBe(401);
    }
    expect(sandbox.status()).toMatchObject({ rentals: { active: 0, ended: 1 }, userExists: false });
    sandbox.reset();
    expect(sandbox.status()).toMatchObject({ rentals: { active: 0, ended: 0 }, userExists: true });
    expect(await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 })).toMatchObject({ id: 1001 });
  },
);

const legacy = everyOperation.filter((id) => operations[id].sunset);

test.each(legacy)("every response of %s has the date when its path is retired", async (id) => {
  const sandbox = await openSandbox();
  for (const response of [await sandbox.call(id, {}, null), await sandbox.call(id, {})]) {
    expect(response.headers.get("sunset")).toBe("Mon, 01 Mar 2027 00:00:00 GMT");
    expect(response.headers.get("deprecation")).toBe("true");
  }
});

test.each(legacy)("%s is served until its sunset day and unknown from then on", async (id) => {
  const sandbox = await openSandbox();
  const described = async () => {
    const { paths } = await sandbox.ask("getOpenApiDocument");
    return operations[id].path in paths;
  };
  sandbox.advance(sunsetDay - Date.parse(sandbox.status().now) - 1);
  expect((await sandbox.call(id, {}, sandbox.keys.readOnly)).status).toBe(403);
  expect(await described()).toBe(true);
  sandbox.advance(1);
  expect((await sandbox.call(id)).status).toBe(404);
  expect(await described()).toBe(false);
});

test("the replacement /v2/users/me has no sunset date", async () => {
  const sandbox = await openSandbox();
  const response = await sandbox.fetch(new Request(`${origin}/v2/users/me`, { method: "DELETE" }));
  expect(response.headers.has("sunset")).toBe(false);
});
