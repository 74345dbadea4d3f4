import { request as httpRequest } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../../src/sandbox/index.ts";
import { openSandbox, start } from "./harness.ts";

async function served() {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/_sandbox/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { sandbox, url, send };
}

const ok = (body: unknown) => ({ status: 200, body });
const at = (ms: number) => new Date(start + ms).toISOString();

test("the clock is moved over HTTP", async () => {
  const { send } = await served();
  expect(await send("POST", "clock/freeze")).toEqual(ok({ now: at(0), frozen: true, offsetMs: null }));
  expect(await send("POST", "clock/advance", { days: 1, hours: 2, minutes: 3, seconds: 4 })).toMatchObject(
    ok({ now: at(((26 * 60 + 3) * 60 + 4) * 1000), frozen: true }),
  );
  expect(await send("POST", "clock/set", { time: "2030-01-01T00:00:00Z" })).toMatchObject(
    ok({ now: "2030-01-01T00:00:00.000Z" }),
  );
  expect(await send("POST", "clock/resume")).toMatchObject(ok({ frozen: false }));
  expect(await send("GET", "clock")).toMatchObject(ok({ frozen: false }));
  expect(await send("POST", "clock/set", { time: "2029-01-01T00:00:00Z" })).toEqual({
    status: 400,
    body: {
      code: "BAD_REQUEST",
      message: "Invalid input data",
      issues: [{ path: ["time"], message: expect.stringContaining("must not move the clock backward") }],
    },
  });
});

test("faults are added, listed and cleared over HTTP, and affect calls", async () => {
  const { send, url } = await served();
  const fault = { operation: "getOpenApiDocument", status: 503 };
  expect(await send("POST", "faults", fault)).toMatchObject(ok({ id: 1, ...fault, left: 1 }));
  expect((await fetch(`${url}/v2/openapi.json`)).status).toBe(503);
  expect(await send("GET", "faults")).toMatchObject(ok([{ id: 1, left: 0 }]));
  expect(await send("DELETE", "faults/1")).toEqual(ok({ cleared: 1 }));
  expect(await send("DELETE", "faults/1")).toMatchObject({ status: 404 });
  expect(await send("DELETE", "faults")).toEqual(ok({ cleared: 0 }));
});

test("the state is seeded, saved, restored and reset over HTTP", async () => {
  const { send } = await served();
  const seed = { rentals: [{ rentalType: "virtual-machine", gpuCount: 1 }] };
  expect(await send("POST", "seed", seed)).toMatchObject(ok({ rentals: { active: 1 } }));
  const { body: snapshot } = await send("GET", "snapshot");
  expect(await send("POST", "reset")).toMatchObject(ok({ rentals: { active: 0 } }));
  expect(await send("POST", "restore", snapshot)).toMatchObject(ok({ rentals: { active: 1 } }));
  expect(await send("GET", "status")).toMatchObject(ok({ rentals: { active: 1 } }));
});

test("requests to the service are listed, counted, checked and cleared over HTTP, but control requests are not logged", async () => {
  const { send, url } = await served();
  await fetch(`${url}/v2/openapi.json`);
  await fetch(`${url}/nowhere`);
  expect(await send("GET", "requests?limit=1")).toMatchObject(
    ok([{ number: 2, path: "/nowhere", status: 404 }]),
  );
  expect((await send("GET", "requests")).body).toHaveLength(2);
  await fetch(`${url}/v2/on-demand/rental?rentalId=7`);
  expect(await send("GET", "requests?status=4xx&where=rentalId=7")).toMatchObject(ok([{ number: 3 }]));
  expect(await send("GET", "requests/count?status=4xx")).toEqual(ok({ count: 2 }));
  expect(await send("POST", "requests/expect", { operation: "getRental", where: { rentalId: 8 } })).toEqual(
    ok({
      met: false,
      expected: "at least 1 request with operation getRental, rentalId=8",
      count: 0,
      logged: 3,
      requests: [{ number: 3, text: 'GET /v2/on-demand/rental?rentalId=7, status 401; rentalId is "7"' }],
    }),
  );
  expect(await send("DELETE", "requests?where=rentalId=7")).toEqual(ok({ cleared: 1 }));
  expect(await send("DELETE", "requests")).toEqual(ok({ cleared: 2 }));
});

test.each([
  ["POST", "clock/advance", { weeks: 1 }, ["weeks"]],
  ["POST", "clock/advance", { seconds: -1 }, ["seconds"]],
  ["POST", "clock/advance", { days: 1e9 }, ["duration"]],
  ["POST", "clock/advance", {}, []],
  ["POST", "clock/advance", { hours: "1" }, ["hours"]],
  ["POST", "clock/advance", undefined, []],
  ["POST", "clock/set", { time: "tomorrow" }, ["time"]],
  ["POST", "faults", { operation: "nothing" }, ["operation"]],
  ["POST", "seed", { rentals: [{ rentalType: "virtual-machine", gpuCount: 0 }] }, ["rentals", 0, "gpuCount"]],
  ["POST", "restore", {}, []],
  ["GET", "requests?limit=0", undefined, ["limit"]],
  ["GET", "requests?limit=1e308", undefined, ["limit"]],
  ["GET", "requests?where=gpuType", undefined, ["where"]],
  ["GET", "requests/count?limit=5", undefined, ["limit"]],
  ["DELETE", "requests?statuss=404", undefined, ["statuss"]],
  ["POST", "requests/expect", { operation: "getrental" }, ["operation"]],
])("%s %s with %j is rejected, with the path of the invalid value", async (method, path, body, place) => {
  const { send } = await served();
  const { status, body: response } = await send(method, path, body);
  expect(status).toBe(400);
  expect(response).toMatchObject({ code: "BAD_REQUEST" });
  expect((response as { issues: { path: unknown }[] }).issues[0]?.path).toEqual(place);
});

test.each([
  ["POST", "nothing"],
  ["GET", "reset"],
  ["GET", ""],
])("%s %s is not a control", async (method, path) => {
  const { send } = await served();
  expect(await send(method, path)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
});

/** Sends a request with headers that `fetch` does not allow. */
const bare = (url: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    httpRequest(`${url}/_sandbox/reset`, { method: "POST", headers })
      .on("response", (response) => {
        response.resume();
        resolve({ status: response.statusCode, headers: response.headers });
      })
      .on("error", reject)
      .end();
  });

test.each([
  [{ origin: "https://example.com" }],
  [{ origin: "null" }],
  [{ origin: "http://127.0.0.1:1" }],
  [{ host: "sandbox.example.com" }],
  [{ host: "sandbox.example.com", origin: "http://sandbox.example.com" }],
])("a control request with a foreign Origin or Host header is refused: %j", async (headers) => {
  const { sandbox, url } = await served();
  sandbox.clock.freeze();
  const response = await bare(url, headers);
  expect(response.status).toBe(403);
  expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  expect(sandbox.clock.show().frozen).toBe(true);
});

test.each(["cross-site", "same-site"])(
  "a control request that the browser marks as %s is refused",
  async (site) => {
    const { url } = await served();
    expect((await bare(url, { "sec-fetch-site": site })).status).toBe(403);
    expect((await bare(url, { "sec-fetch-site": "same-origin", origin: url })).status).toBe(200);
  },
);

test("control responses, including errors, have the sandbox header and the sandbox's date", async () => {
  const { sandbox, url, send } = await served();
  sandbox.clock.advance(24 * 3600 * 1000);
  for (const [method, path] of [
    ["GET", "status"],
    ["GET", "nothing"],
    ["POST", "restore"],
  ] as const) {
    const { headers } = await fetch(`${url}/_sandbox/${path}`, { method });
    expect([headers.get("x-gpuctl-sandbox"), headers.get("date")]).toEqual([
      "1",
      new Date(at(86_400_000)).toUTCString(),
    ]);
  }
  expect((await bare(url, { origin: "https://example.com" })).headers).toMatchObject({
    "x-gpuctl-sandbox": "1",
  });
  expect((await fetch(`${url}/_sandbox`)).headers.get("x-gpuctl-sandbox")).toBe("1");
  expect((await send("GET", "status")).status).toBe(200);
});

test("control requests are accepted on IPv6, by address and by name", async () => {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "::1", port: 0 });
  onTestFinished(close);
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await bare(url, {})).status).toBe(200);
  expect((await bare(url, { host: `localhost:${new URL(url).port}` })).status).toBe(200);
  expect((await bare(url, { host: "example.com" })).status).toBe(403);
});

test("a page of the sandbox's own origin can send control requests", async () => {
  const { url } = await served();
  expect((await bare(url, { origin: url })).status).toBe(200);
  const { port, host } = new URL(url);
  for (const name of [host, `localhost:${port}`, `sandbox.localhost:${port}`, `[::1]:${port}`]) {
    expect((await bare(url, { host: name })).status).toBe(200);
  }
});

test("only this machine can send control requests if the sandbox has no token", async () => {
  const sandbox = await openSandbox();
  const controlRequest = () =>
    new Request("http://localhost/_sandbox/reset", { method: "POST", headers: { host: "localhost" } });
  for (const peer of ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", undefined]) {
    expect((await sandbox.handleControl(controlRequest(), { peer }))?.status).toBe(403);
  }
  for (const peer of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
    expect((await sandbox.handleControl(controlRequest(), { peer }))?.status).toBe(200);
  }
});

test("the service's description does not contain the controls, and the sandbox's fetch does not serve them", async () => {
  const { sandbox } = await served();
  expect(JSON.stringify(await sandbox.ask("getOpenApiDocument"))).not.toContain("_sandbox");
  expect((await sandbox.fetch(new Request("http://localhost/_sandbox/status"))).status).toBe(404);
});
