import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createTransport } from "../../src/client/transport/transport.ts";
import { caller, failure, read, write } from "./calling.ts";
import { selfSigned } from "./certificate.ts";
import { deadOrigin, json, type LocalServer, listen, listenRaw, open } from "./server.ts";

describe("connections", () => {
  test("are reused for the next read; every write opens its own", async () => {
    const server = await listen(({ method }, response) => json(response, method === "GET" ? [] : {}));
    const { call } = caller(server.origin);
    await call(...read);
    await call(...write);
    await call(...read);
    await call(...write);
    await call(...read);
    expect(server.connections()).toBe(3);
  });

  test("that the service closes after a read do not affect the next write", async () => {
    const server = await listen(({ method }, response) => {
      if (method === "GET") response.once("finish", () => response.socket?.destroy());
      json(response, method === "GET" ? [] : {});
    });
    const { call } = caller(server.origin);
    for (let round = 0; round < 10; round += 1) {
      await call(...read);
      expect(await call(...write)).toEqual({});
    }
  });

  test("are opened in parallel for parallel calls", async () => {
    const waiting: (() => void)[] = [];
    const server = await listen((_request, response) => {
      waiting.push(() => json(response, []));
      if (waiting.length === 2) for (const sendResponse of waiting) sendResponse();
    });
    const { call } = caller(server.origin);
    await Promise.all([call(...read), call(...read)]);
    expect(server.connections()).toBe(2);
  });

  test("are closed with the transport, including those of parallel calls", async () => {
    const closed: Promise<unknown>[] = [];
    const server = createServer((_request, response) => json(response, []));
    server.on("connection", (socket) => closed.push(once(socket, "close")));
    server.keepAliveTimeout = 0;
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { fetch, close } = createTransport();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const get = async () => {
      const { body } = await fetch(url, { method: "GET", headers: {} });
      for await (const _ of body ?? []);
    };
    await Promise.all([get(), get()]);
    close();
    await Promise.all(closed);
    expect(closed).toHaveLength(2);
  });
});

describe("large responses", () => {
  const bodyOf = (url = "") => Buffer.alloc(2_000_000, `the response to ${url}, `);
  const servers = {
    http: () => createServer((request, response) => response.end(bodyOf(request.url))),
    https: () =>
      createSecureServer(selfSigned("localhost"), (request, response) => response.end(bodyOf(request.url))),
  };

  /** Reads eight responses at the same time, one of them slowly. */
  async function responsesAtOnce(protocol: keyof typeof servers, method: string) {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const { port } = await open(servers[protocol]());
    const { fetch, close } = createTransport();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      close();
    });
    return Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const { body } = await fetch(`${protocol}://localhost:${port}/${index}`, { method, headers: {} });
        const chunks: Uint8Array[] = [];
        for await (const chunk of body ?? []) {
          chunks.push(chunk);
          if (index === 0) await nextTurn();
        }
        return { chunks, isUnchanged: Buffer.concat(chunks).equals(bodyOf(`/${index}`)) };
      }),
    );
  }

  test.each([
    ["http", "GET"],
    ["http", "POST"],
    ["https", "GET"],
    ["https", "POST"],
  ] as const)("to parallel requests arrive unchanged (%s, %s)", async (protocol, method) => {
    const responses = await responsesAtOnce(protocol, method);
    expect(responses.map(({ isUnchanged }) => isUnchanged)).toEqual(Array(8).fill(true));
  });

  test("are read in parts, some of which are larger than 64 KiB", async () => {
    const responses = await responsesAtOnce("http", "POST");
    const sizes = responses.flatMap(({ chunks }) => chunks.map(({ length }) => length));
    expect(Math.max(...sizes)).toBeGreaterThan(64 * 1024);
  });
});

test("a request whose signal is already aborted is not sent", async () => {
  const server = await listen((_request, response) => json(response, {}));
  const { fetch, close } = createTransport();
  onTestFinished(close);
  const write = { method: "POST", headers: {}, body: "{}", reusesConnection: true };
  for await (const _ of (await fetch(server.origin, write)).body ?? []);
  await expect(fetch(server.origin, { ...write, signal: AbortSignal.abort() })).rejects.toThrow(
    "could not connect",
  );
  expect(server.seen).toHaveLength(1);
});

test("the connection is closed if the conversion of a body fails", async () => {
  const closed: Promise<unknown>[] = [];
  const server = await listenRaw((socket) => {
    closed.push(once(socket, "close"));
    socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"));
  });
  const { fetch, close } = createTransport();
  onTestFinished(close);
  const { body } = await fetch(server.origin, { method: "GET", headers: {} });
  const parts = body?.converted?.(() => {
    throw new Error("no space");
  });
  const read = async () => {
    for await (const _ of parts ?? []);
  };
  await expect(read()).rejects.toThrow("no space");
  await Promise.all(closed);
});

describe("a response that switches to another protocol", () => {
  const switching = () =>
    listenRaw((socket) =>
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n"),
      ),
    );
  const message = "the service responded 101 and switched to another protocol";

  test("makes each attempt of a read fail at once, and the read is retried", async () => {
    const server = await switching();
    const { call, slept } = caller(server.origin);
    expect(await failure(call(...read))).toMatchObject({
      name: "NetworkError",
      message: expect.stringContaining(message),
    });
    expect(slept).toHaveLength(3);
  });

  test("makes the outcome of a write unknown at once, and the write is sent only once", async () => {
    const server = await switching();
    const { call } = caller(server.origin);
    expect(await failure(call(...write))).toMatchObject({
      name: "UnknownOutcome",
      message: expect.stringContaining(message),
    });
    expect(server.connections()).toBe(1);
  });
});

describe("a refused connection", () => {
  test("makes gpuctl retry a read, and then report a network failure", async () => {
    const origin = await deadOrigin();
    const { call, slept } = caller(origin);
    expect(await failure(call(...read))).toMatchObject({
      name: "NetworkError",
      code: "ECONNREFUSED",
      message: `connection refused (${new URL(origin).host})`,
    });
    expect(slept).toHaveLength(3);
  });

  test("means that a write was not sent, and gpuctl does not retry the write by itself", async () => {
    const { call, slept } = caller(await deadOrigin());
    expect(await failure(call(...write))).toMatchObject({ name: "NetworkError", code: "ECONNREFUSED" });
    expect(slept).toEqual([]);
  });

  test("is not reported for a host that does not exist: the code is ENOTFOUND or EAI_AGAIN", async () => {
    const { call } = caller("https://no-such-host.invalid", { retries: 0 });
    expect(await failure(call(...write))).toMatchObject({
      name: "NetworkError",
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
  });
});

/** Ways in which a connection breaks after the request was sent. */
const breaks: readonly [string, () => Promise<Omit<LocalServer, "seen">>][] = [
  [
    "before the response, by a reset",
    () => listenRaw((socket) => socket.once("data", () => socket.resetAndDestroy())),
  ],
  ["before the response, by a close", () => listenRaw((socket) => socket.once("data", () => socket.end()))],
  [
    "in the response headers",
    () => listenRaw((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-"))),
  ],
  [
    "in a body of known length",
    () =>
      listenRaw((socket) =>
        socket.once("data", () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n["cut')),
      ),
  ],
  [
    "in a chunked body",
    () =>
      listenRaw((socket) =>
        socket.once("data", () => {
          socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n", () =>
            socket.resetAndDestroy(),
          );
        }),
      ),
  ],
  [
    "because of garbage instead of a chunk",
    () =>
      listenRaw((socket) =>
        socket.once("data", () =>
          socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\nnonsense\r\n"),
        ),
      ),
  ],
  [
    "because of a response that is not HTTP",
    () => listenRaw((socket) => socket.once("data", () => socket.write("SSH-2.0-x\r\n"))),
  ],
];

describe.each(breaks)("a connection that breaks %s", (_name, breaking) => {
  test("is a network failure for a read, after the retries", async () => {
    const server = await breaking();
    const { call } = caller(server.origin, { retries: 2 });
    expect(await failure(call(...read))).toMatchObject({
      name: "NetworkError",
      request: { method: "GET" },
    });
    expect(server.connections()).toBe(3);
  });

  test("leaves the outcome of a write unknown, and the write is not sent again", async () => {
    const server = await breaking();
    expect(await failure(caller(server.origin).call(...write))).toMatchObject({
      name: "UnknownOutcome",
      status: undefined,
      request: { method: "POST", url: `${server.origin}/v2/on-demand/virtual-machine-rentals` },
    });
    expect(server.connections()).toBe(1);
  });
});
