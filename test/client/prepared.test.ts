import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { prepareWrite } from "../../src/client/prepared.ts";
import { acceptAnything, wireRequest } from "../../src/client/request.ts";
import { createTransport } from "../../src/client/transport/transport.ts";
import { responseLimits } from "../../src/contract/plain/response-limits.ts";
import { createRedactor } from "../../src/core/redact.ts";
import { UnknownOutcome } from "../../src/core/service-errors.ts";
import { failure, key } from "./calling.ts";
import { listen, listenRaw } from "./server.ts";

interface Options {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
}

async function prepared(
  baseUrl: string,
  { timeout = 20_000, signal, maxBytes = responseLimits.body.generate }: Options = {},
) {
  const transport = createTransport();
  onTestFinished(transport.close);
  const redactor = createRedactor();
  redactor.add(key);
  const request = wireRequest(
    { method: "POST", path: "/v1/chat/completions", host: "inference", effect: "generate", body: "" },
    { baseUrl, inferenceBaseUrl: undefined, apiKey: key, userAgent: "gpuctl/1.2.3", insecureHttp: false },
    acceptAnything,
  );
  const connections = await transport.sharedByWrites?.(request.url);
  if (!connections) throw new Error("no connections");
  return prepareWrite(request, {
    connections,
    redact: redactor.redact,
    timeout: { compute: timeout, inference: timeout },
    limits: { ...responseLimits, body: { ...responseLimits.body, generate: maxBytes } },
    now: () => Date.parse("2026-11-20T12:00:00Z"),
    ...(signal && { signal }),
  });
}

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
const cut = (text: string) => listenRaw((socket) => socket.once("data", () => socket.end(text)));

describe("a prepared write", () => {
  test("sends each body once, with the key, on one connection", async () => {
    const server = await listen((request, response) => response.end(request.body));
    const send = await prepared(server.origin);
    for (const body of ['{"n":1}', '{"n":"é"}']) expect((await send(body)).text()).toBe(body);
    expect(server.seen.map(({ body }) => body)).toEqual(['{"n":1}', '{"n":"é"}']);
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "user-agent": "gpuctl/1.2.3",
    });
    expect(server.connections()).toBe(1);
  });

  test.each([
    ["Connection", "close"],
    ["Keep-Alive", "timeout=1"],
    ["Keep-Alive", "max=10, timeout=0"],
  ])("opens another connection after a response with %s: %s", async (name, value) => {
    const server = await listen((_, response) => {
      response.setHeader(name, value);
      response.end("{}");
    });
    const send = await prepared(server.origin);
    for (const body of ["1", "2"]) await send(body);
    expect(server.connections()).toBe(2);
  });

  test("uses a connection again if the service keeps it open for more than a second", async () => {
    const server = await listen((_, response) => {
      response.setHeader("Keep-Alive", "timeout=2");
      response.end("{}");
    });
    const send = await prepared(server.origin);
    for (const body of ["1", "2"]) await send(body);
    expect(server.connections()).toBe(1);
  });

  test("does not use connections that were idle for a second, and closes them", async () => {
    const open = new Set<Socket>();
    let requests = 0;
    const server = await listenRaw((socket) => {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      // Responds to the first three requests together, so that they need three connections.
      socket.on("data", () => {
        requests += 1;
        if (requests >= 3) for (const one of requests === 3 ? open : [socket]) one.write(ok);
      });
    });
    const send = await prepared(server.origin);
    await Promise.all([send("1"), send("2"), send("3")]);
    await sleep(1_100);
    await send("4");
    expect(server.connections()).toBe(4);
    await expect.poll(() => open.size).toBe(1);
  });

  test("opens another connection if the service closed an idle one", async () => {
    const server = await listenRaw((socket) =>
      socket.once("data", () => {
        socket.write(ok);
        setTimeout(() => socket.resetAndDestroy(), 50);
      }),
    );
    const send = await prepared(server.origin);
    await send("1");
    await sleep(200);
    expect((await send("2")).text()).toBe("{}");
    expect(server.connections()).toBe(2);
  });

  test("has an unknown outcome when a connection that is used again breaks", async () => {
    const server = await listenRaw((socket) =>
      socket.once("data", () => {
        socket.write(ok);
        socket.once("data", () => socket.resetAndDestroy());
      }),
    );
    const send = await prepared(server.origin);
    await send("1");
    expect(await failure(send("2"))).toMatchObject({ name: "UnknownOutcome" });
    expect(server.connections()).toBe(1);
  });

  test.each([
    ["after the end of the body", `${ok}junk`],
    // Node.js's own parser handles a response with a repeated header.
    [
      "after the end of the body, with a repeated header",
      "HTTP/1.1 200 OK\r\nX: 1\r\nX: 2\r\nContent-Length: 2\r\n\r\n{}junk",
    ],
    ["after the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\njunk"],
  ])("returns a whole response that arrives in one packet with a protocol error %s", async (_where, text) => {
    const server = await listenRaw((socket) => socket.once("data", () => socket.write(text)));
    const send = await prepared(server.origin);
    expect((await send("1")).text()).toBe("{}");
    // The first connection is not used again.
    expect((await send("2")).text()).toBe("{}");
    expect(server.connections()).toBe(2);
  });

  test("keeps the part of a body that arrives in the same packet as a protocol error", async () => {
    const text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nZZ\r\n";
    const server = await listenRaw((socket) => socket.once("data", () => socket.write(text)));
    const error = await failure((await prepared(server.origin))("1"));
    expect(error).toMatchObject({ name: "UnknownOutcome", received: { complete: false } });
    expect(String(error instanceof UnknownOutcome && error.received?.bytes)).toBe("{}");
  });

  test("does not accept a body that has no length and whose connection breaks", async () => {
    const server = await listenRaw((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n{}");
        // If the reset followed at once, Node.js would treat it as the normal end of the connection.
        setTimeout(() => socket.resetAndDestroy(), 50);
      }),
    );
    const error = await failure((await prepared(server.origin))("1"));
    expect(error).toMatchObject({ name: "UnknownOutcome" });
  });

  test("masks a key that a response quotes", async () => {
    const server = await listen((_, response) => {
      response.setHeader("X-Request-Id", key);
      response.write(`{"text":"${key.slice(0, 5)}`);
      response.end(`${key.slice(5)}"}`);
    });
    const response = await (await prepared(server.origin))("{}");
    expect(response.text()).toBe('{"text":"****"}');
    expect(response.header("x-request-id")).toBe("****");
  });

  test.each([
    [429, { name: "ServiceError", status: 429, retryAfter: 7000 }],
    [503, { name: "UnknownOutcome", status: 503, reply: { retryAfter: 7000, text: "busy" } }],
    [307, { name: "UnknownOutcome", status: 307 }],
  ])("is not repeated after a %i", async (status, error) => {
    const server = await listen((_, response) => {
      response.writeHead(status, { "Retry-After": "7", Location: "https://other.example/" });
      response.end("busy");
    });
    expect(await failure((await prepared(server.origin))("{}"))).toMatchObject(error);
    expect(server.seen).toHaveLength(1);
  });

  test("counts as not sent if the connection is refused", async () => {
    expect(await failure((await prepared("http://127.0.0.1:1"))("{}"))).toMatchObject({
      name: "NetworkError",
    });
  });

  test.each([
    ["before a response", ""],
    ["within a response", 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"a'],
  ])("has an unknown outcome when the connection breaks %s", async (_, text) => {
    const { origin } = await cut(text);
    expect(await failure((await prepared(origin))("{}"))).toMatchObject({ name: "UnknownOutcome" });
  });

  test("has an unknown outcome after the timeout", async () => {
    const server = await listen(() => {});
    expect(await failure((await prepared(server.origin, { timeout: 200 }))("{}"))).toMatchObject({
      name: "UnknownOutcome",
      message: "no response within 0.2 s",
    });
  });

  test("reads no more than the limit", async () => {
    const server = await listen((_, response) => response.end("x".repeat(2000)));
    expect(await failure((await prepared(server.origin, { maxBytes: 1000 }))("{}"))).toMatchObject({
      name: "UnknownOutcome",
      message: "the response is larger than 1000 bytes",
    });
  });

  test("may have taken effect when it is interrupted, and sends nothing afterwards", async () => {
    const controller = new AbortController();
    const server = await listen(() => controller.abort(new Error("stop")));
    const send = await prepared(server.origin, { signal: controller.signal });
    expect(await failure(send("{}"))).toMatchObject({ name: "InterruptedWrite" });
    expect(await failure(send("{}"))).toMatchObject({ message: "stop" });
    expect(server.seen).toHaveLength(1);
  });
});
