import { expect, onTestFinished, test, vi } from "vitest";
import type { Operation } from "../../src/contract/operation.ts";
import { servedOperations } from "../../src/sandbox/assumed/index.ts";
import { serve } from "../../src/sandbox/index.ts";
import { openSandbox } from "./harness.ts";
import { requestFor } from "./request.ts";

const vm = { gpuCount: 1 };
const chat = { model: "sandbox-echo", messages: [{ role: "user", content: "one two three four five" }] };

test.each([
  [400, { code: "BAD_REQUEST", message: "Invalid input data", issues: [] }],
  [401, { code: "UNAUTHORIZED", message: "Authorization not provided", issues: [] }],
  [403, { code: "FORBIDDEN", message: "Insufficient access", issues: [] }],
  [404, { code: "NOT_FOUND", message: "Not found", issues: [] }],
  [409, { code: "CONFLICT", message: "Conflict", issues: [] }],
  [429, { code: "TOO_MANY_REQUESTS", message: "Too many requests", issues: [] }],
  [500, { code: "INTERNAL_SERVER_ERROR", message: "Internal server error", issues: [] }],
  [503, { code: "SERVICE_UNAVAILABLE", message: "Service unavailable", issues: [] }],
  [599, { code: "STATUS_599", message: "Status 599", issues: [] }],
])("a fault responds %i in the service's format, and the operation has no effect", async (status, body) => {
  const sandbox = await openSandbox();
  const { id } = sandbox.faults.add({ operation: "createVirtualMachineRental", status });
  const response = await sandbox.call("createVirtualMachineRental", vm);
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual(body);
  expect(response.headers.get("gpuctl-sandbox-fault")).toBe(String(id));
  expect(response.headers.get("retry-after")).toBe(status === 429 ? "1" : null);
  expect(sandbox.status().rentals.active).toBe(0);
});

test("a page of another origin can read an injected error and its Retry-After", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "listStorageVolumes", status: 429 });
  const { headers } = await sandbox.call("listStorageVolumes");
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-expose-headers")).toMatch(/Retry-After/);
});

test("a response has the Retry-After of the fault", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "listStorageVolumes", status: 503, retryAfterSeconds: 7 });
  expect((await sandbox.call("listStorageVolumes")).headers.get("retry-after")).toBe("7");
});

async function statuses(sandbox: Awaited<ReturnType<typeof openSandbox>>, count: number) {
  const all: number[] = [];
  for (let call = 0; call < count; call += 1) all.push((await sandbox.call("listStorageVolumes")).status);
  return all;
}

test("a fault lets some calls pass, makes the next ones fail, and is then used up", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "listStorageVolumes", status: 500, after: 2, times: 2 });
  expect(await statuses(sandbox, 6)).toEqual([200, 200, 500, 500, 200, 200]);
  expect(sandbox.faults.list()).toMatchObject([{ after: 2, times: 2, left: 0 }]);
  expect(sandbox.status().faults).toBe(0);
});

test("a fault can affect every nth call, forever or a limited number of times", async () => {
  const sandbox = await openSandbox();
  const operation = "listStorageVolumes";
  const { id } = sandbox.faults.add({ operation, status: 500, every: 3, after: 1 });
  expect(await statuses(sandbox, 8)).toEqual([200, 200, 200, 500, 200, 200, 500, 200]);
  expect(sandbox.faults.list()).toMatchObject([{ times: null, left: null, every: 3 }]);
  expect(sandbox.status().faults).toBe(1);
  sandbox.faults.clear(id);
  sandbox.faults.add({ operation, status: 500, every: 2, times: 1 });
  expect(await statuses(sandbox, 5)).toEqual([200, 500, 200, 200, 200]);
  expect(sandbox.faults.list()).toMatchObject([{ times: 1, left: 0 }]);
});

/** Makes 200 calls, and returns the positions of those that fail. */
async function failing(fault: object): Promise<readonly number[]> {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "listStorageVolumes", status: 500, ...fault });
  return (await statuses(sandbox, 200)).flatMap((status, at) => (status === 500 ? [at] : []));
}

test("a fault with a rate affects a share of the calls, and the same seed always affects the same calls", async () => {
  const seven = await failing({ rate: 0.1, seed: 7 });
  expect(seven).toEqual(await failing({ rate: 0.1, seed: 7 }));
  expect(seven.length).toBeGreaterThan(10);
  expect(seven.length).toBeLessThan(32);
  const more = await failing({ rate: 0.2, seed: 7 });
  expect(more).toEqual(expect.arrayContaining([...seven]));
  expect(await failing({ rate: 0.1, seed: 8 })).not.toEqual(seven);
  expect(await failing({ rate: 0.1 })).toEqual(await failing({ rate: 0.1, seed: 0 }));
  expect(await failing({ rate: 1 })).toHaveLength(200);
  expect(await failing({ rate: 0.1, seed: 7, times: 2 })).toEqual(seven.slice(0, 2));
});

test("after a restore, a fault with a rate continues from where it was at the snapshot", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "listStorageVolumes", status: 500, rate: 0.5, seed: 3 });
  await statuses(sandbox, 5);
  const snapshot = JSON.stringify(sandbox.snapshot());
  const next = await statuses(sandbox, 12);
  sandbox.restore(snapshot);
  expect(await statuses(sandbox, 12)).toEqual(next);
});

test("if several faults match a call, the one that was added first is applied", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "listStorageVolumes", status: 500 });
  sandbox.faults.add({ operation: "*", status: 429 });
  expect(await statuses(sandbox, 3)).toEqual([500, 429, 200]);
});

test("a fault for one operation does not affect the others, and a fault for * affects all", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "getRental", status: 500 });
  expect((await sandbox.call("listStorageVolumes")).status).toBe(200);
  sandbox.faults.clear();
  sandbox.faults.add({ operation: "*", status: 500, times: 2 });
  expect((await sandbox.call("getOpenApiDocument", {}, null)).status).toBe(500);
  expect((await sandbox.call("createChatCompletion", chat)).status).toBe(500);
});

test("a fault is applied before the key and the input are checked", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "createVirtualMachineRental", status: 502 });
  expect((await sandbox.call("createVirtualMachineRental", { nonsense: 1 }, null)).status).toBe(502);
});

test("with `applied`, the operation takes effect, whatever the response says", async () => {
  const sandbox = await openSandbox();
  const add = (effect: object) =>
    sandbox.faults.add({ operation: "createVirtualMachineRental", applied: true, ...effect });
  add({ status: 500 });
  add({ garbage: true });
  add({ reset: true });
  const responses = [
    await sandbox.call("createVirtualMachineRental", vm),
    await sandbox.call("createVirtualMachineRental", vm),
  ];
  expect(responses.map(({ status }) => status)).toEqual([500, 200]);
  await expect(sandbox.call("createVirtualMachineRental", vm)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(sandbox.status().rentals.active).toBe(3);
});

test("garbage is labeled as JSON but is not valid JSON, with any status", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "listStorageVolumes", garbage: true });
  sandbox.faults.add({ operation: "listStorageVolumes", garbage: true, status: 502 });
  for (const status of [200, 502]) {
    const response = await sandbox.call("listStorageVolumes");
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    await expect(response.json()).rejects.toThrow(SyntaxError);
  }
});

test("a delay is followed by the normal response", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "listStorageVolumes", delayMs: 30 });
  const before = performance.now();
  const response = await sandbox.call("listStorageVolumes");
  expect(performance.now() - before).toBeGreaterThan(25);
  expect(await response.json()).toEqual([]);
  expect(response.headers.get("gpuctl-sandbox-fault")).toBe("1");
});

test("a delayed request takes effect before the delay, and a caller that disconnects ends the delay", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "createVirtualMachineRental", delayMs: 2 ** 31 - 1 });
  const controller = new AbortController();
  const request = requestFor("createVirtualMachineRental", vm, sandbox.keys.full);
  const response = sandbox.fetch(new Request(request, { signal: controller.signal }));
  await vi.waitFor(() => expect(sandbox.status().rentals.active).toBe(1));
  controller.abort();
  await expect(response).rejects.toMatchObject({ code: "ECONNRESET" });
});

const streamed = { ...chat, stream: true };
const eventsIn = (text: string) => text.split("\n\n").filter((event) => event !== "");

test.each([0, 1, 3])("a stream is truncated after %i events", async (cutStreamAfter) => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "createChatCompletion", cutStreamAfter });
  const cut = await sandbox.call("createChatCompletion", streamed);
  expect(cut.status).toBe(200);
  expect(cut.headers.get("content-type")).toContain("text/event-stream");
  const events = eventsIn(await cut.text());
  expect(events).toHaveLength(cutStreamAfter);
  const whole = eventsIn(await (await sandbox.call("createChatCompletion", streamed)).text());
  expect(whole.length).toBeGreaterThan(5);
  const contents = (all: string[]) => all.map((event) => event.replace(/chatcmpl-\d+/, ""));
  expect(contents(events)).toEqual(contents(whole).slice(0, cutStreamAfter));
});

test("a response that is not a stream is truncated after the given number of KiB, and a shorter response is complete", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "getOpenApiDocument", cutStreamAfter: 3 });
  sandbox.faults.add({ operation: "getOpenApiDocument", cutStreamAfter: 100_000 });
  expect((await (await sandbox.call("getOpenApiDocument")).arrayBuffer()).byteLength).toBe(3072);
  expect(await (await sandbox.call("getOpenApiDocument")).json()).toMatchObject({ openapi: "3.1.0" });
});

test("a stream that is truncated by a reset breaks in the middle", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "createChatCompletion", cutStreamAfter: 2, reset: true });
  const { body } = await sandbox.call("createChatCompletion", streamed);
  let text = "";
  const reading = async () => {
    for await (const piece of body ?? []) text += new TextDecoder().decode(piece);
  };
  await expect(reading()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(eventsIn(text)).toHaveLength(2);
});

test("over HTTP a reset resets the connection, and later requests are served", async () => {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  sandbox.faults.add({ operation: "getOpenApiDocument", reset: true });
  const broken = await fetch(`${url}/v2/openapi.json`).catch((error: Error) => error.cause);
  expect(broken).toMatchObject({ code: "ECONNRESET" });
  expect((await fetch(`${url}/v2/openapi.json`)).status).toBe(200);
});

test("over HTTP a stream is truncated, with and without a reset", async () => {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  const send = () =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.keys.full}` },
      body: JSON.stringify(streamed),
    });
  sandbox.faults.add({ operation: "createChatCompletion", cutStreamAfter: 2 });
  sandbox.faults.add({ operation: "createChatCompletion", cutStreamAfter: 2, reset: true });
  const cut = await send();
  expect(cut.headers.get("gpuctl-sandbox-fault")).toBe("1");
  expect(eventsIn(await cut.text())).toHaveLength(2);
  let text = "";
  const reading = async () => {
    for await (const piece of (await send()).body ?? []) text += new TextDecoder().decode(piece);
  };
  await expect(reading()).rejects.toThrow();
  expect(eventsIn(text)).toHaveLength(2);
  expect(eventsIn(await (await send()).text()).at(-1)).toBe("data: [DONE]");
});

test("an error has the code and the message of the fault", async () => {
  const sandbox = await openSandbox();
  const own = { status: 409, code: "SOLD_OUT", message: "No B200 left" };
  sandbox.faults.add({ operation: "*", ...own, times: 2 });
  const response = await sandbox.call("createVirtualMachineRental", vm);
  expect([response.status, await response.json()]).toEqual([
    409,
    { code: own.code, message: own.message, issues: [] },
  ]);
  expect(await (await sandbox.call("createChatCompletion", chat)).json()).toMatchObject({
    error: { code: own.code, message: own.message },
  });
});

test("a fault can respond with its own body, such as a proxy's web page, and with or without an error status", async () => {
  const sandbox = await openSandbox();
  const body = "<h1>Forbidden</h1>";
  sandbox.faults.add({ operation: "*", status: 403, body, contentType: "text/html; charset=utf-8" });
  sandbox.faults.add({ operation: "*", body });
  const responses = [
    await sandbox.call("createVirtualMachineRental", vm),
    await sandbox.call("createVirtualMachineRental", vm),
  ];
  expect(responses.map(({ status, headers }) => [status, headers.get("content-type")])).toEqual([
    [403, "text/html; charset=utf-8"],
    [200, "text/plain; charset=utf-8"],
  ]);
  expect(await Promise.all(responses.map((response) => response.text()))).toEqual([body, body]);
  expect(sandbox.status().rentals.active).toBe(0);
});

test.each([false, true])(
  "a fault affects, and counts, only the calls that it selects (over HTTP: %s)",
  async (isServed) => {
    const sandbox = await openSandbox();
    const server = isServed ? await serve(sandbox, { host: "127.0.0.1", port: 0 }) : undefined;
    if (server) onTestFinished(server.close);
    const operation = "createVirtualMachineRental";
    sandbox.faults.add({ operation, status: 501, where: { gpuType: "b200", gpuCount: "2" } });
    sandbox.faults.add({ operation, status: 502, caller: "test-7", times: 9 });
    sandbox.faults.add({ operation: "*", status: 503, key: "readOnly", times: 9 });
    const send = async (input: object, { caller = "", key = sandbox.keys.full } = {}) => {
      const request = requestFor(operation, input, key);
      request.headers.set("gpuctl-sandbox-caller", caller);
      const { pathname } = new URL(request.url);
      const { method, headers } = request;
      const init = { method, headers, body: JSON.stringify(input) };
      return (await (server ? fetch(server.url + pathname, init) : sandbox.fetch(request))).status;
    };
    const asked = { gpuType: "b200", gpuCount: 2 };
    expect([
      await send({ gpuType: "h100", gpuCount: 2 }),
      await send({ gpuType: "b200", gpuCount: 1 }),
      await send(asked, { caller: "test-8" }),
      await send(asked),
      await send(asked, { caller: "test-7" }),
      await send(asked, { key: sandbox.keys.readOnly }),
    ]).toEqual([200, 200, 501, 200, 502, 503]);
    expect(sandbox.status().rentals.active).toBe(3);
  },
);

test("a fault selects calls by the fields of the query", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "getRental", status: 500, where: { rentalId: 7 }, times: 1 });
  sandbox.faults.add({ operation: "getRental", status: 502, where: { rentalId: "8" }, times: 1 });
  const get = async (rentalId: string) => (await sandbox.call("getRental", { rentalId })).status;
  expect([await get("7"), await get("8"), await get("8")]).toEqual([200, 502, 200]);
});

test("a stalled stream sends nothing after the cut, and breaks when the client disconnects", async () => {
  const sandbox = await openSandbox();
  sandbox.faults.add({ operation: "createChatCompletion", cutStreamAfter: 2, stall: true });
  const controller = new AbortController();
  const request = requestFor("createChatCompletion", streamed, sandbox.keys.full);
  const { body } = await sandbox.fetch(new Request(request, { signal: controller.signal }));
  let text = "";
  const reading = async () => {
    for await (const piece of body ?? []) {
      text += new TextDecoder().decode(piece);
      if (eventsIn(text).length === 2) setImmediate(() => controller.abort());
    }
  };
  await expect(reading()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(eventsIn(text)).toHaveLength(2);
});

test("over HTTP a stalled response stays open, and the server can still close", async () => {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  sandbox.faults.add({ operation: "getOpenApiDocument", cutStreamAfter: 1, stall: true });
  const response = await fetch(`${url}/v2/openapi.json`);
  const reader = response.body?.getReader();
  let length = 0;
  while (length < 1024) length += (await reader?.read())?.value?.length ?? 1024;
  const next = reader?.read().then(
    () => "more",
    () => "broken",
  );
  expect(length).toBe(1024);
  await close();
  expect(await next).toBe("broken");
});

test.each([
  [{ operation: "createVirtualMachineRental", where: { gputype: "b200" } }, "where", "did you mean gpuType?"],
  [{ operation: "createVirtualMachineRental", where: { gpuType: "b20" } }, "where", "did you mean b200?"],
  [
    { operation: "getRental", where: { colour: "red" } },
    "where",
    "none of the operations has the field colour",
  ],
  [{ operation: "*", key: "nobody" }, "key", "must be the name of an API key: full, readOnly"],
  [{ operation: "listStorageVolumes", where: { label: "a" } }, "where", "has the field label"],
])("the fault %j, which can never affect a call, is rejected", async (fault, field, message) => {
  const { faults } = await openSandbox();
  expect(() => faults.add({ status: 500, ...fault })).toThrow(
    expect.objectContaining({ issues: [{ path: [field], message: expect.stringContaining(message) }] }),
  );
});

test("a fault for an operation whose sunset day has passed is rejected", async () => {
  const sandbox = await openSandbox();
  const over = Object.values(servedOperations).find((one: Operation) => one.sunset !== undefined);
  sandbox.clock.set(Date.UTC(2100, 0));
  expect(() => sandbox.faults.add({ operation: over?.id, status: 500 })).toThrow("is no longer served");
});

test.each([
  [{}, "status", /^or another effect is required/],
  [{ status: 399 }, "status", "must be at least 400"],
  [{ status: 600 }, "status", "must be at most 599"],
  [{ reset: true, status: 500 }, "reset", /^cannot be combined/],
  [{ reset: true, garbage: true }, "reset", /^cannot be combined/],
  [{ cutStreamAfter: 1, status: 500 }, "cutStreamAfter", /^cannot be combined/],
  [{ cutStreamAfter: -1 }, "cutStreamAfter", "must be at least 0"],
  [{ delayMs: 2 ** 31 }, "delayMs", /^must be at most/],
  [{ delayMs: 1, retryAfterSeconds: 1 }, "retryAfterSeconds", /^requires a status/],
  [{ status: 429, retryAfterSeconds: 1.5 }, "retryAfterSeconds", "must be a whole number of seconds"],
  [{ status: 500, body: "x", code: "X" }, "code", /^cannot be combined/],
  [{ delayMs: 1, message: "x" }, "message", "requires a status"],
  [{ status: 500, contentType: "text/html" }, "contentType", "requires a body"],
  [{ body: "x", contentType: "html\r\nx: y" }, "contentType", /^must match/],
  [{ body: "x", garbage: true }, "body", /^cannot be combined/],
  [{ status: 500, stall: true }, "stall", /^requires a cut/],
  [{ cutStreamAfter: 1, stall: true, reset: true }, "stall", "cannot be combined with a reset"],
  [{ status: 500, times: 0 }, "times", "must be at least 1"],
  [{ status: 500, after: -1 }, "after", "must be at least 0"],
])("the fault %j is rejected", async (effect, field, message) => {
  const sandbox = await openSandbox();
  const issue = {
    path: [field],
    message: typeof message === "string" ? message : expect.stringMatching(message),
  };
  const add = () => sandbox.faults.add({ operation: "getRental", ...effect });
  expect(add).toThrow(expect.objectContaining({ name: "ControlRefused", issues: [issue] }));
  expect(sandbox.faults.list()).toEqual([]);
});

test.each([
  ["getrental", "did you mean getRental?"],
  ["createVmRental", "did you mean createVirtualMachineRental?"],
  ["listVolumes", "did you mean listStorageVolumes?"],
  ["creatStorageVolum", "did you mean createStorageVolume?"],
  ["xyz", "must be * or the ID of an operation (such as "],
])("the unknown operation %s is rejected, and the error names a known one", async (operation, advice) => {
  const { faults } = await openSandbox();
  expect(() => faults.add({ operation, status: 500 })).toThrow(advice);
});
