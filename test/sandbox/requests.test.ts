import { expect, test } from "vitest";
import { openSandbox, origin } from "./harness.ts";

const time = "2026-11-20T12:00:00.000Z";
const fine = {
  time,
  fault: null,
  code: null,
  issues: [],
  caller: null,
  key: "full",
  parameters: {},
  body: null,
  bodyTruncated: false,
  response: null,
  responseTruncated: false,
};
/** The fields of a logged request that failed with this error code. */
const failed = (code: string) => ({ code, response: expect.objectContaining({ code }) });

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
  expect(sandbox.requests.list({ limit: 50 })).toEqual([
    {
      ...fine,
      number: 1,
      method: "POST",
      path: vm,
      operation: "createVirtualMachineRental",
      status: 400,
      code: "BAD_REQUEST",
      response: {
        code: "BAD_REQUEST",
        message: "Invalid input data",
        issues: [{ path: ["customPorts", 0], message: "must be at least 1" }],
      },
      issues: ["customPorts.0"],
      body: { gpuCount: 1, customPorts: [0, 1], label: "secret plan" },
    },
    {
      ...fine,
      number: 2,
      method: "GET",
      path: "/v2/on-demand/rental?rentalId=1001",
      operation: "getRental",
      parameters: { rentalId: "1001" },
      status: 200,
    },
    { ...fine, number: 3, ...list, key: null, status: 401, ...failed("UNAUTHORIZED") },
    {
      ...fine,
      number: 4,
      method: "GET",
      path: "/nowhere",
      key: null,
      operation: null,
      status: 404,
      ...failed("NOT_FOUND"),
    },
    { ...fine, number: 5, ...list, status: 503, fault: 1, ...failed("SERVICE_UNAVAILABLE") },
    { ...fine, number: 6, ...list, status: null, fault: 2 },
  ]);
  expect(sandbox.requests.list({ limit: 2 }).map(({ number }) => number)).toEqual([5, 6]);
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
    body: JSON.stringify({
      model_name: "SDXL1.0-base",
      prompt: `${"p".repeat(4090)}${full}`,
      lora: { [full]: 2 },
      api_key: "another-secret",
    }),
  });
  const noted = JSON.stringify(sandbox.requests.list({ limit: 50 }));
  for (const secret of [full, readOnly, unknown, encodeURIComponent(unknown), "another-secret"]) {
    expect(noted).not.toContain(secret);
  }
  expect(sandbox.requests.list({ limit: 50 })).toHaveLength(6);
  expect(sandbox.requests.list({ limit: 50 })[1]?.path).toBe("/v2/on-demand/rental?rentalId=x&api_key=...");
});

test("the last 1000 requests are stored", async () => {
  const sandbox = await openSandbox();
  for (let call = 0; call < 1003; call += 1) await sandbox.fetch(new Request(`${origin}/${call}`));
  const kept = sandbox.requests.list({ limit: 2000 });
  expect(kept).toHaveLength(1000);
  expect([kept[0]?.path, kept.at(-1)?.path]).toEqual(["/3", "/1002"]);
});

const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "Hello" }] };

test("a body is logged, whether the request is accepted, refused or affected by a fault", async () => {
  const sandbox = await openSandbox();
  await sandbox.call("createChatCompletion", chat);
  await sandbox.call("createChatCompletion", chat, null);
  sandbox.faults.add({ operation: "createChatCompletion", status: 503 });
  await sandbox.call("createChatCompletion", chat);
  await sandbox.fetch(new Request(`${origin}/v1/elsewhere`, { method: "POST", body: JSON.stringify(chat) }));
  await sandbox.fetch(new Request(`${origin}/v1/chat/completions`, { method: "POST", body: "not JSON" }));
  expect(sandbox.requests.list().map(({ status, body }) => ({ status, body }))).toEqual([
    { status: 200, body: chat },
    { status: 401, body: chat },
    { status: 503, body: chat },
    { status: 404, body: chat },
    { status: 401, body: "not JSON" },
  ]);
});

test("long texts are shortened, and a body that is still too large, or nested too deeply, is left out", async () => {
  const sandbox = await openSandbox();
  const message = (content: string) => ({ role: "user", content });
  const send = (messages: object[]) => sandbox.call("createChatCompletion", { ...chat, messages });
  await send([message("a".repeat(5000))]);
  await send(Array.from({ length: 20 }, () => message("a".repeat(4000))));
  await sandbox.call("createChatCompletion", {
    ...chat,
    nested: JSON.parse("[".repeat(200) + "]".repeat(200)),
  });
  expect(sandbox.requests.list()).toMatchObject([
    { body: { messages: [message(`${"a".repeat(4096)}...`)] }, bodyTruncated: true },
    { body: null, bodyTruncated: true },
    { body: null, bodyTruncated: true },
  ]);
});

test("responses are logged as they were sent, unless they are long, streams or not text", async () => {
  const sandbox = await openSandbox();
  const { full } = sandbox.keys;
  const created = await sandbox.ask("createVirtualMachineRental", { gpuCount: 1 });
  await sandbox.call("listVirtualMachineRentals");
  sandbox.faults.add({ operation: "getActiveRentalSummary", status: 403, body: "<h1>Forbidden</h1>" });
  await sandbox.call("getActiveRentalSummary");
  sandbox.faults.add({ operation: "getActiveRentalSummary", cutStreamAfter: 0 });
  await sandbox.call("getActiveRentalSummary");
  await (await sandbox.call("createChatCompletion", { ...chat, stream: true })).text();
  await sandbox.call("generateImage", { model_name: "SD1.5", prompt: "dunes", steps: 1 });
  const head = { method: "HEAD", headers: { authorization: `Bearer ${full}` } };
  await sandbox.fetch(new Request(`${origin}/v2/on-demand/storage-volumes`, head));
  const stored = { responseTruncated: false };
  const leftOut = { response: null, responseTruncated: true };
  expect(sandbox.requests.list()).toMatchObject([
    { response: created, ...stored },
    { response: [created], ...stored },
    { response: "<h1>Forbidden</h1>", ...stored },
    leftOut,
    leftOut,
    leftOut,
    { response: null, ...stored },
  ]);
});

test("keys are removed from a logged response, even keys that are escaped in JSON", async () => {
  const sandbox = await openSandbox();
  const quoted = 'key-with-"quotes"';
  await sandbox.seed(JSON.stringify({ keys: [{ value: quoted }] }));
  const created = await sandbox.assumed("createApiKey", { name: "mine" });
  const secrets = [quoted, JSON.stringify(quoted).slice(1, -1), ...Object.values<string>(sandbox.keys)];
  const messages = [{ role: "user", content: `my key is ${quoted}` }];
  await sandbox.call("createChatCompletion", { ...chat, messages });
  const [creation, echo] = sandbox.requests.list();
  expect(creation?.response).toEqual({ ...Object(created.body), apiKey: "..." });
  expect(echo?.response).toMatchObject({
    choices: [{ message: { content: "sandbox-echo heard: my key is ..." } }],
  });
  for (const secret of secrets) expect(JSON.stringify(echo)).not.toContain(secret);
});

/** A sandbox that received two requests and, an hour later, three more. */
async function used() {
  const sandbox = await openSandbox();
  const create = (gpuType: string, gpuCount: number) =>
    sandbox.call("createVirtualMachineRental", { gpuType, gpuCount });
  await create("b200", 1);
  await create("b200", 0);
  sandbox.clock.advance(3_600_000);
  await create("h100", 8);
  await sandbox.call("getRental", { rentalId: "1001" }, sandbox.keys.readOnly);
  await sandbox.fetch(
    new Request(`${origin}/v2/on-demand/storage-volumes`, { headers: { "gpuctl-sandbox-caller": "test-7" } }),
  );
  return sandbox;
}

test.each([
  [{}, [1, 2, 3, 4, 5]],
  [{ operation: "createVirtualMachineRental" }, [1, 2, 3]],
  [{ status: "4xx" }, [2, 5]],
  [{ status: 401 }, [5]],
  [{ status: "none" }, []],
  [{ since: "30m" }, [3, 4, 5]],
  [{ until: "30m" }, [1, 2]],
  [{ since: "2026-11-20T14:00:00+01:00" }, [3, 4, 5]],
  [{ until: "2026-11-20" }, []],
  [{ where: { gpuType: "b200" } }, [1, 2]],
  [{ where: { gpuType: "b200", gpuCount: "0" } }, [2]],
  [{ where: { gpuCount: 8 } }, [3]],
  [{ where: { "gpuCount.x": "8" } }, []],
  [{ where: { rentalId: "1001" } }, [4]],
  [{ caller: "test-7" }, [5]],
  [{ key: "readOnly" }, [4]],
  [{ operation: "createVirtualMachineRental", limit: 2 }, [2, 3]],
])("the filter %j selects the requests %j", async (filter, numbers) => {
  const { requests } = await used();
  expect(requests.list(filter).map(({ number }) => number)).toEqual(numbers);
  const { limit: _, ...rest } = { limit: 0, ...filter };
  if (!("limit" in filter)) expect(requests.count(rest)).toBe(numbers.length);
});

test("either all requests are cleared, or only those that match a filter", async () => {
  const { requests } = await used();
  expect(requests.clear({ where: { gpuType: "b200" } })).toBe(2);
  expect(requests.list().map(({ number }) => number)).toEqual([3, 4, 5]);
  expect([requests.clear(), requests.count()]).toEqual([3, 0]);
});

test.each([
  [{}, true, "at least 1 request"],
  [{ count: 5 }, true, "exactly 5 requests"],
  [{ where: { gpuType: "b200" }, atLeast: 3 }, false, "at least 3 requests with gpuType=b200"],
  [{ status: "4xx", atMost: 1 }, false, "at most 1 request with status 4xx"],
  [{ status: "4xx", atLeast: 1, atMost: 2 }, true, "1 to 2 requests with status 4xx"],
  [{ status: "5xx", count: 0 }, true, "exactly 0 requests with status 5xx"],
  [{ since: "30m", count: 3 }, true, "exactly 3 requests with time since 2026-11-20T12:30:00.000Z"],
])("the expectation %j is met: %j", async (expectation, met, expected) => {
  const { requests } = await used();
  expect(requests.expect(expectation)).toMatchObject({ met, expected, logged: 5 });
});

test("an expectation that is not met shows the nearest requests, or those in excess", async () => {
  const { requests } = await used();
  const missing = {
    operation: "createVirtualMachineRental",
    where: { gpuType: "h100", gpuCount: "4", label: "a" },
  };
  const vm = "POST /v2/on-demand/virtual-machine-rentals";
  expect(requests.expect(missing).requests).toEqual([
    { number: 3, text: `${vm}, status 200; gpuCount is 8; label is missing` },
    { number: 2, text: `${vm}, status 400; gpuType is "b200"; gpuCount is 0; label is missing` },
    { number: 1, text: `${vm}, status 200; gpuType is "b200"; gpuCount is 1; label is missing` },
  ]);
  expect(requests.expect({ where: { gpuType: "b200" }, count: 0 }).requests).toEqual([
    { number: 1, text: `${vm}, status 200` },
    { number: 2, text: `${vm}, status 400` },
  ]);
});

test.each([
  [{ operation: "createVmRental" }, "operation", "did you mean createVirtualMachineRental?"],
  [
    { where: { gpuTyp: "h100" } },
    "where",
    "none of the operations has the field gpuTyp: did you mean gpuType?",
  ],
  [
    { operation: "getRental", where: { colour: "red" } },
    "where",
    "none of the operations has the field colour",
  ],
  [{ status: "6xx" }, "status", "must be a status such as 404"],
  [{ since: "yesterday" }, "since", "must be a time such as"],
  [{ until: "2026-11-20T12:00:00" }, "until", "must be a time such as"],
  [{ gpuType: "b200" }, "gpuType", "is not a field of a filter"],
  [{ count: 1, atLeast: 1 }, "count", "cannot be combined"],
  [{ atLeast: 2, atMost: 1 }, "atLeast", "cannot be more than the maximum"],
  [{ count: 1001 }, "count", "must be at most 1000"],
])("the expectation %j is rejected", async (expectation, field, message) => {
  const { requests } = await openSandbox();
  expect(() => requests.expect(expectation)).toThrow(
    expect.objectContaining({
      name: "ControlRefused",
      issues: [{ path: [field], message: expect.stringContaining(message) }],
    }),
  );
});
