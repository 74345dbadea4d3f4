import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  InterruptedWrite,
  InvalidResponse,
  NetworkError,
  ServiceError,
  UnknownOutcome,
} from "../../src/library/client.ts";
import { deadOrigin, json, type LocalServer, listen } from "../client/server.ts";
import { clientOf } from "./harness.ts";

/** The client's own transport, and the global `fetch`, which a program can pass instead. */
const transports = [
  ["with the client's own transport", {}],
  ["with the global fetch", { fetch: globalThis.fetch }],
] as const;

const busy = { code: "SERVICE_UNAVAILABLE", message: "Busy", issues: [] };
const failing = (response: ServerResponse) => json(response, busy, 503, { "Retry-After": "0" });

/** The writes that a server received. The client may also have read the service's description. */
const writes = ({ seen }: LocalServer) => seen.filter(({ method }) => method === "POST");

describe.each(transports)("%s", (_name, options) => {
  test("a read that fails is retried as often as configured", async () => {
    const server = await listen((_request, response, index) =>
      index < 2 ? failing(response) : json(response, []),
    );
    expect(await clientOf(server.origin, { ...options, retries: 2 }).listStorageVolumes()).toEqual([]);
    expect(server.seen).toHaveLength(3);
    const other = await listen((_request, response) => failing(response));
    await expect(clientOf(other.origin, { ...options, retries: 1 }).listStorageVolumes()).rejects.toThrow(
      ServiceError,
    );
    expect(other.seen).toHaveLength(2);
  });

  test.each([
    ["a failure", failing],
    ["a reset connection", (response: ServerResponse) => response.destroy()],
    ["a truncated response", (response: ServerResponse) => cut(response)],
    ["garbage", (response: ServerResponse) => response.end("<html>")],
  ])("a write that ends in %s is sent once, and its outcome is unknown", async (_name, respond) => {
    const server = await listen((_request, response) => respond(response));
    const write = clientOf(server.origin, options).createVirtualMachineRental({ gpuCount: 1 });
    await expect(write).rejects.toThrow(UnknownOutcome);
    expect(writes(server)).toHaveLength(1);
  });

  test("a redirect of a write is not followed, and the outcome of the write is unknown", async () => {
    const server = await listen((_request, response) => {
      response.writeHead(307, { Location: "/elsewhere" }).end();
    });
    const write = clientOf(server.origin, options).createVirtualMachineRental({ gpuCount: 1 });
    await expect(write).rejects.toMatchObject({ name: "UnknownOutcome", status: 307 });
    expect(writes(server)).toHaveLength(1);
  });

  test("when nothing listens, a write fails with a network error: nothing was sent", async () => {
    const client = clientOf(await deadOrigin(), { ...options, retries: 0 });
    await expect(client.createVirtualMachineRental({ gpuCount: 1 })).rejects.toMatchObject({
      name: "NetworkError",
      code: "ECONNREFUSED",
    });
    await expect(client.listStorageVolumes()).rejects.toThrow(NetworkError);
  });

  test("a read that times out is a network error", async () => {
    const server = await listen(() => {});
    const client = clientOf(server.origin, { ...options, timeout: 50, retries: 0 });
    await expect(client.listStorageVolumes()).rejects.toMatchObject({ code: "ETIMEDOUT" });
  });

  test("a read with an invalid response throws InvalidResponse", async () => {
    const server = await listen((_request, response) => response.end("<html>"));
    await expect(clientOf(server.origin, options).listStorageVolumes()).rejects.toThrow(InvalidResponse);
  });

  test("a read that is aborted rejects immediately with the reason of its signal", async () => {
    const controller = new AbortController();
    const server = await listen(() => controller.abort(new Error("enough")));
    const read = clientOf(server.origin, options).listStorageVolumes({}, { signal: controller.signal });
    await expect(read).rejects.toThrow("enough");
    expect(server.seen).toHaveLength(1);
  });

  test("a write that is aborted after it was sent throws InterruptedWrite", async () => {
    const controller = new AbortController();
    const server = await listen(({ method }, response) =>
      method === "POST" ? controller.abort() : json(response, {}),
    );
    const write = clientOf(server.origin, options).createVirtualMachineRental(
      { gpuCount: 1 },
      { signal: controller.signal },
    );
    await expect(write).rejects.toThrow(InterruptedWrite);
  });

  test("a call that is aborted before it starts sends nothing", async () => {
    const server = await listen((_request, response) => json(response, {}));
    const { createVirtualMachineRental: rent } = clientOf(server.origin, options);
    await expect(rent({ gpuCount: 1 }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(server.seen).toEqual([]);
  });

  test("the wait before a retry ends when the signal is aborted", async () => {
    const controller = new AbortController();
    const server = await listen((_request, response) => {
      json(response, busy, 503, { "Retry-After": "30" });
      response.on("close", () => controller.abort(new Error("enough")));
    });
    const read = clientOf(server.origin, options).listStorageVolumes({}, { signal: controller.signal });
    await expect(read).rejects.toThrow("enough");
  });
});

test("a read rethrows an error of a custom fetch unchanged if it is not a network error", async () => {
  const failure = new Error("no stub for this");
  const client = clientOf("https://api.example.com", { fetch: () => Promise.reject(failure) });
  await expect(client.listStorageVolumes()).rejects.toBe(failure);
});

test.each([
  ["an error of its own", new Error("no response"), UnknownOutcome],
  ["its own time limit", new DOMException("took too long", "TimeoutError"), UnknownOutcome],
  ["no error at all", undefined, UnknownOutcome],
  // The errors of node-fetch 2 are made like this.
  [
    "an error that is not native",
    Object.assign(Object.create(Error.prototype), { code: "ECONNREFUSED" }),
    NetworkError,
  ],
  ["an error from before the connection", Object.assign(new Error(), { code: "ECONNREFUSED" }), NetworkError],
  ["the error of an unreachable host", unreachable("connect"), NetworkError],
  ["the error of a host that became unreachable", unreachable("read"), UnknownOutcome],
])(
  "the error of a write whose fetch rejects with %s says whether the write may have taken effect",
  async (_, cause, expected) => {
    let calls = 0;
    const fetch = () => {
      calls += 1;
      return Promise.reject(cause);
    };
    const client = clientOf("http://127.0.0.1:1", { fetch });
    await expect(client.requestReservation({ gpuCount: 8 })).rejects.toThrow(expected);
    expect(calls).toBe(1);
  },
);

test.each([undefined, {}, "ok", { status: 200, headers: {} }])(
  "a fetch that returns %j instead of a response may have sent a write",
  async (returned) => {
    const fetch = () => Promise.resolve(returned as unknown as Response);
    const client = clientOf("http://127.0.0.1:1", { fetch, retries: 0 });
    await expect(client.requestReservation({ gpuCount: 8 })).rejects.toThrow(UnknownOutcome);
    await expect(client.getActiveRentalSummary()).rejects.toThrow("did not return a Response");
  },
);

test("closing the client aborts a pending read and does not retry it", async () => {
  const server = await listen(() => client.close());
  const client = clientOf(server.origin);
  await expect(client.listStorageVolumes()).rejects.toMatchObject({ name: "AbortError" });
  expect(server.seen).toHaveLength(1);
});

test("closing the client ends a wait before a retry, a wait for a rental, and a list", async () => {
  const server = await listen((_request, response) => json(response, busy, 503, { "Retry-After": "30" }));
  const client = clientOf(server.origin, { logger: { info: () => client.close() } });
  const signal = new AbortController().signal;
  const closed = { name: "AbortError", message: "the client was closed" };
  await expect(client.listStorageVolumes({}, { signal })).rejects.toMatchObject(closed);
  await expect(client.waitFor({ rentalId: 1 })).rejects.toMatchObject(closed);
  await expect(client.iterate("listStorageVolumes").next()).rejects.toMatchObject(closed);
  expect(server.seen).toHaveLength(3);
});

test("a write that was sent before the client is closed throws InterruptedWrite", async () => {
  const server = await listen(({ method }, response) =>
    method === "POST" ? client.close() : json(response, {}),
  );
  const client = clientOf(server.origin);
  await expect(client.createVirtualMachineRental({ gpuCount: 1 })).rejects.toThrow(InterruptedWrite);
  expect(writes(server)).toHaveLength(1);
});

test("closing the client while it fetches the description does not abort later calls", async () => {
  const openapi = { openapi: "3.1.0", info: { title: "", version: "" }, paths: {} };
  const server = await listen(({ path }, response, index) => {
    if (index > 0) json(response, path.includes("openapi") ? openapi : []);
    else client.close();
  });
  const client = clientOf(server.origin);
  await expect(client.call("listThings")).rejects.toMatchObject({ name: "AbortError" });
  await expect(client.call("listThings")).rejects.not.toMatchObject({ name: "AbortError" });
  expect(server.seen.map(({ path }) => path)).toEqual(["/v2/openapi.json", "/v2/openapi.json"]);
});

test("a closed client can be used again", async () => {
  const server = await listen((_request, response) => json(response, []));
  const client = clientOf(server.origin);
  client.close();
  expect(await client.listStorageVolumes()).toEqual([]);
});

test("a signal of another implementation aborts a call", async () => {
  const { signal, abort } = foreignSignal();
  const server = await listen(({ method }, response) => (method === "POST" ? abort() : json(response, [])));
  const client = clientOf(server.origin);
  expect(await client.listStorageVolumes({}, { signal })).toEqual([]);
  const write = client.requestReservation({ gpuCount: 8 }, { signal });
  await expect(write).rejects.toThrow(InterruptedWrite);
  await expect(client.listStorageVolumes({}, { signal })).rejects.toThrow("enough");
});

test("connections are reused for later calls until the client is closed", async () => {
  const server = await listen((_request, response) => {
    json(response, []);
    const { socket } = response;
    if (socket) closed.push(once(socket, "close"));
  });
  const closed: Promise<unknown>[] = [];
  const client = clientOf(server.origin);
  await client.listStorageVolumes();
  await client.listStorageVolumes();
  expect(server.connections()).toBe(1);
  client.close();
  await Promise.all(closed);
});

test("many calls over one connection cause no process warnings", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const server = await listen((_request, response) => json(response, []));
  const client = clientOf(server.origin);
  for (let calls = 0; calls < 15; calls += 1) await client.listStorageVolumes();
  expect(server.connections()).toBe(1);
  expect(warnings).toEqual([]);
});

/** Starts a response and breaks the connection. */
function cut(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
  response.write('{"id":', () => response.destroy());
}

/** The error of an unreachable host, as the global `fetch` throws it. */
function unreachable(syscall: "connect" | "read"): TypeError {
  const cause = Object.assign(new Error(`${syscall} EHOSTUNREACH`), { code: "EHOSTUNREACH", syscall });
  return new TypeError("fetch failed", { cause });
}

/** A signal that is not an `EventTarget` of Node.js, as in a browser environment of a test runner. */
function foreignSignal(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener: (_type: string, listener: () => void) => listeners.add(listener),
    removeEventListener: (_type: string, listener: () => void) => listeners.delete(listener),
  };
  const abort = () => {
    signal.aborted = true;
    signal.reason = new Error("enough");
    for (const listener of listeners) listener();
  };
  return { signal: signal as unknown as AbortSignal, abort };
}
