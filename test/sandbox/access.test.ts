import { expect, test } from "vitest";
import { operations } from "../../src/contract/index.ts";
import { validInput } from "../support/valid-inputs.ts";
import { errorBody, everyOperation, openSandbox, origin } from "./harness.ts";

const guarded = everyOperation.filter((id) => !operations[id].open);

test.each(guarded)("%s returns 401 without a key or with an unknown key", async (id) => {
  const sandbox = await openSandbox();
  for (const key of [null, "someone-elses", ""]) {
    const response = await sandbox.call(id, validInput(id), key);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(
      errorBody(operations[id].path, "authentication_error", "UNAUTHORIZED", "Authorization not provided"),
    );
  }
});

test.each(["Basic Z3B1Y3RsOg==", "gpuctl-sandbox-full", "Bearer", "Bearer a b"])(
  "the malformed credential %j is rejected",
  async (authorization) => {
    const sandbox = await openSandbox();
    const url = `${origin}/v2/on-demand/storage-volumes`;
    const response = await sandbox.fetch(new Request(url, { headers: { authorization } }));
    expect(response.status).toBe(401);
  },
);

test("the auth scheme is case-insensitive", async () => {
  const sandbox = await openSandbox();
  const headers = { authorization: `bearer ${sandbox.keys.full}` };
  const url = `${origin}/v2/on-demand/storage-volumes`;
  expect((await sandbox.fetch(new Request(url, { headers }))).status).toBe(200);
});

test.each(guarded.filter((id) => operations[id].method !== "GET"))(
  "%s returns 403 with the read-only key, even if the input is invalid",
  async (id) => {
    const sandbox = await openSandbox();
    const response = await sandbox.call(id, { nonsense: true }, sandbox.keys.readOnly);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual(
      errorBody(operations[id].path, "permission_error", "FORBIDDEN", "Insufficient access"),
    );
  },
);

test.each(guarded.filter((id) => operations[id].method === "GET"))(
  "%s returns 200 with the read-only key",
  async (id) => {
    const sandbox = await openSandbox();
    expect((await sandbox.call(id, validInput(id), sandbox.keys.readOnly)).status).toBe(200);
  },
);

test.each(guarded.filter((id) => operations[id].host === "compute"))(
  "%s returns 500 without details when the sandbox fails",
  async (id) => {
    const sandbox = await openSandbox();
    sandbox.close();
    const response = await sandbox.call(id, validInput(id));
    expect(response.status).toBe(500);
    expect(await response.text()).toBe(
      '{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error","issues":[]}',
    );
  },
);

test.each([
  ["GET", "/"],
  ["GET", "/v2/on-demand/storage-volumes/"],
  ["DELETE", "/v2/on-demand/storage-volumes"],
  ["POST", "/v2/openapi.json"],
  ["GET", "/v1/chat/completions"],
  ["POST", "/v1/embeddings"],
])("%s %s returns 404, not 401, without a key", async (method, path) => {
  const sandbox = await openSandbox();
  const response = await sandbox.fetch(new Request(`${origin}${path}`, { method }));
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual(errorBody(path, "not_found_error", "NOT_FOUND", "Not found"));
});

test("responses have the sandbox header, including errors", async () => {
  const sandbox = await openSandbox();
  const responses = [
    await sandbox.call("listStorageVolumes"),
    await sandbox.call("listStorageVolumes", {}, null),
    await sandbox.call("getOpenApiDocument"),
    await sandbox.fetch(new Request(`${origin}/nowhere`)),
  ];
  expect(responses.map(({ headers }) => headers.get("x-gpuctl-sandbox"))).toEqual(["1", "1", "1", "1"]);
});
