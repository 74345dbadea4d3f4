import { once } from "node:events";
import type { Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, createServer as createTlsServer } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Channel, OutgoingRequest, ResponseHead } from "../../src/client/transport/channel.ts";
import { DirectChannel } from "../../src/client/transport/direct.ts";
import { openNodeChannel } from "../../src/client/transport/node-http.ts";
import { fc, runs } from "../support/property.ts";
import { failure } from "./calling.ts";
import { selfSigned } from "./certificate.ts";
import { listen, listenRaw, open } from "./server.ts";

interface Result {
  readonly status: number | undefined;
  readonly headers: ResponseHead["headers"] | undefined;
  readonly body: string;
  readonly outcome: "complete" | "failed";
}

const get: OutgoingRequest = { method: "GET", path: "/", headers: {} };

/** Sends a request, and returns what arrives in response. */
function exchange(channel: Channel, request = get): Promise<Result> {
  return new Promise((resolve) => {
    let head: ResponseHead | undefined;
    const parts: Buffer[] = [];
    const end = (outcome: Result["outcome"]) => {
      const headers = head && Object.fromEntries(Object.entries(head.headers).toSorted());
      resolve({ status: head?.status, headers, body: Buffer.concat(parts).toString("latin1"), outcome });
    };
    channel.begin(request, {
      head: (one) => {
        head = one;
      },
      data: (part) => parts.push(Buffer.from(part)),
      end: () => end("complete"),
      failed: () => end("failed"),
    });
  });
}

/** The channel under test, and a channel that uses `node:http` for everything. */
async function channels(origin: string, { isShared = false } = {}) {
  const url = new URL(origin);
  const direct = new DirectChannel(url, { isShared });
  const node = await openNodeChannel(url, { isRead: false, isShared, signal: new AbortController().signal });
  onTestFinished(() => {
    direct.close();
    node.close();
  });
  return { direct, node };
}

/** A server that sends the parts of `response.parts`, one write for each, and then ends the connection. */
async function sendingParts() {
  const response: { parts: readonly string[] } = { parts: [] };
  const server = await listenRaw((socket) => {
    socket.setNoDelay(true);
    socket.once("data", () => sendAll(socket, response.parts));
  });
  return { response, origin: server.origin };
}

const sendAll = (socket: Socket, [first, ...others]: readonly string[]): void => {
  if (first === undefined) socket.end();
  else socket.write(first, "latin1", () => setImmediate(() => sendAll(socket, others)));
};

const statusLines = [
  "HTTP/1.1 200 OK",
  "HTTP/1.1 200 OK",
  "HTTP/1.1 404 Not Found",
  "HTTP/1.1 500",
  "HTTP/1.1 204 No Content",
  "HTTP/1.1 304 Not Modified",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK",
  "HTTP/1.0 200 OK",
  "HTTP/1.1  200 OK",
  "HTTP/1.1 99 No",
  "HTTP/2 200 OK",
  "http/1.1 200 OK",
  "HTTP/1.1 200 \xe9",
  "SSH-2.0-x",
];
const otherHeaders = [
  "Content-Type: application/json",
  "X-Empty:",
  "X-Spaces:  a \t",
  "X-Twice: 1",
  "X-Twice: 2",
  "Set-Cookie: a=1",
  "Set-Cookie: b=2",
  "Connection: close",
  "Connection: keep-alive",
  "Connection: upgrade",
  "Keep-Alive: timeout=1",
  "Upgrade: h2",
  "__proto__: a",
  "X-Space : a",
  " folded",
  "no colon",
  "X-\xe9: a",
  "X-Latin: \xe9",
  "X-Control: a\x01b",
  ": no name",
];
const lengths = ["", "+", "-", "0x", "5, "];

const chunked = (body: string, style: { upper: boolean; extension: string; trailer: string }) => {
  const sizes = body.match(/.{1,40}/gs) ?? [];
  const size = (text: string) => {
    const hex = text.length.toString(16);
    return style.upper ? hex.toUpperCase() : hex;
  };
  return `${sizes.map((part) => `${size(part)}${style.extension}\r\n${part}\r\n`).join("")}0\r\n${style.trailer}\r\n`;
};

/** A response that is usually valid. Data may follow it, or its end may be missing. */
const responses = fc
  .record({
    status: fc.constantFrom(...statusLines),
    others: fc.subarray(otherHeaders, { maxLength: 4 }),
    body: fc.string({
      maxLength: 200,
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    }),
    framing: fc.constantFrom("length", "length", "chunked", "chunked", "both", "none", "two lengths"),
    wrong: fc.constantFrom(0, 0, 0, 3, -3),
    prefix: fc.constantFrom("", "", "", ...lengths),
    style: fc.record({
      upper: fc.boolean(),
      extension: fc.constantFrom("", "", ";a=b", " ", "x"),
      trailer: fc.constantFrom("", "", "X-Trailer: a\r\n", "\0"),
    }),
    newline: fc.constantFrom("\r\n", "\r\n", "\r\n", "\n"),
    after: fc.constantFrom("", "", "", "junk", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    cut: fc.constantFrom(undefined, undefined, 0.3, 0.7, 0.95),
  })
  .map(({ status, others, body, framing, wrong, prefix, style, newline, after, cut }) => {
    const length = `Content-Length: ${prefix}${Math.max(0, body.length + wrong)}`;
    const lines = {
      length: [length],
      chunked: ["Transfer-Encoding: chunked"],
      both: [length, "Transfer-Encoding: chunked"],
      none: [],
      "two lengths": [length, length],
    }[framing];
    const sent = framing === "chunked" || framing === "both" ? chunked(body, style) : body;
    const text = `${[status, ...others, ...lines].join(newline)}${newline}${newline}${sent}${after}`;
    return cut === undefined ? text : text.slice(0, Math.floor(text.length * cut));
  });

describe("a response", () => {
  test("is read as node:http reads it, whatever it contains and wherever it is split", async () => {
    const server = await sendingParts();
    const { direct, node } = await channels(server.origin);
    await fc.assert(
      fc.asyncProperty(
        responses,
        fc.array(fc.nat(400), { maxLength: 4 }),
        fc.constantFrom("GET", "POST", "HEAD"),
        async (text, places, method) => {
          const cuts = [0, ...places.toSorted((one, other) => one - other), text.length];
          server.response.parts = cuts.slice(1).flatMap((end, index) => text.slice(cuts[index], end) || []);
          const request = { ...get, method };
          const [actual, expected] = [await exchange(direct, request), await exchange(node, request)];
          // How much of an incomplete response arrives depends on its packets.
          if (expected.outcome === "failed") expect(actual.outcome).toBe("failed");
          else expect(actual).toEqual(expected);
        },
      ),
      runs(300),
    );
  });

  test("can arrive in single bytes", async () => {
    const server = await sendingParts();
    const { direct } = await channels(server.origin);
    server.response.parts = [..."HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"];
    expect(await exchange(direct)).toMatchObject({ status: 200, body: "{}", outcome: "complete" });
  });

  test("whose headers are larger than the limit fails", async () => {
    const server = await sendingParts();
    const { direct } = await channels(server.origin);
    server.response.parts = [`HTTP/1.1 200 OK\r\nX: ${"a".repeat(200_000)}\r\nContent-Length: 2\r\n\r\n{}`];
    expect(await exchange(direct)).toMatchObject({ status: undefined, outcome: "failed" });
  });

  test("whose chunk extension, trailer or chunk size is too long fails", async () => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const server = await sendingParts();
    const { direct } = await channels(server.origin);
    for (const rest of [
      `2;${"a".repeat(10_000)}`,
      `0\r\n${"X: a\r\n".repeat(1000)}`,
      `${"0".repeat(5000)}`,
    ]) {
      server.response.parts = [head, rest];
      expect(await exchange(direct)).toMatchObject({ status: 200, outcome: "failed" });
    }
  });
});

test.each([
  ["is longer than its size", "2\r\n{}}\r\n0\r\n\r\n"],
  ["is shorter than its size", "3\r\n{}\r\n0\r\n\r\n"],
  ["has no size", "\r\n{}\r\n0\r\n\r\n"],
  ["has a negative size", "-2\r\n{}\r\n0\r\n\r\n"],
  ["has a size in another notation", "0x2\r\n{}\r\n0\r\n\r\n"],
  ["ends with a line feed only", "2\r\n{}\n0\r\n\r\n"],
  ["is the last one and is not followed by an empty line", "2\r\n{}\r\n0\r\n"],
])("a response counts as incomplete if one of its chunks %s", async (_what, body) => {
  const server = await sendingParts();
  const { direct } = await channels(server.origin);
  server.response.parts = [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`];
  expect(await exchange(direct)).toMatchObject({ status: 200, outcome: "failed" });
});

test.each([
  ["an extension in quotes", '2;a="b c"\r\n{}\r\n0;x="y z"\r\n\r\n'],
  ["a size with leading zeros", "0000000000000002\r\n{}\r\n00000000000000000\r\n\r\n"],
  ["a long extension", `2;a=${"b".repeat(8000)}\r\n{}\r\n0\r\n\r\n`],
])("a response with %s counts as complete", async (_what, body) => {
  const server = await sendingParts();
  const { direct } = await channels(server.origin);
  server.response.parts = [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`];
  expect(await exchange(direct)).toMatchObject({ body: "{}", outcome: "complete" });
});

test("tiny chunks that arrive together are joined", async () => {
  const server = await sendingParts();
  const { direct } = await channels(server.origin);
  const body = "1\r\na\r\n".repeat(20_000);
  server.response.parts = [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`];
  let [parts, length] = [0, 0];
  await new Promise<void>((resolve, reject) => {
    direct.begin(get, {
      head: () => {},
      data: (part) => {
        parts += 1;
        length += part.length;
      },
      end: resolve,
      failed: reject,
    });
  });
  expect(length).toBe(20_000);
  expect(parts).toBeLessThan(1000);
});

test("a TLS session is discarded after a failed connection", async () => {
  const { cert, key } = selfSigned("localhost");
  const server = createTlsServer({ cert, key, maxVersion: "TLSv1.2" }, (socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"));
  });
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    if (connections === 2) socket.resetAndDestroy();
  });
  const { port } = await open(server);
  const sessions: unknown[] = [];
  const secure = (options: ConnectionOptions) => {
    sessions.push(options.session);
    return connectTls({ ...options, rejectUnauthorized: false });
  };
  const direct = new DirectChannel(new URL(`https://localhost:${port}`), { isShared: false, secure });
  onTestFinished(() => direct.close());
  const outcomes: string[] = [];
  for (let round = 0; round < 3; round += 1) outcomes.push((await exchange(direct)).outcome);
  expect(outcomes).toEqual(["complete", "failed", "complete"]);
  expect(sessions).toEqual([undefined, expect.any(Buffer), undefined]);
});

describe("a shared connection", () => {
  const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";

  test.each([
    ["in the same packet", (socket: Socket) => socket.write(`${ok}{}${ok}[]`)],
    [
      "while the connection is idle",
      (socket: Socket) => {
        socket.write(`${ok}{}`);
        setTimeout(() => socket.write(`${ok}[]`), 20);
      },
    ],
  ])("is not used again after a second response %s", async (_when, respond) => {
    const closed: Promise<void>[] = [];
    const server = await listenRaw((socket) => {
      closed.push(new Promise((resolve) => socket.once("close", () => resolve())));
      socket.once("data", () => respond(socket));
    });
    const { direct } = await channels(server.origin, { isShared: true });
    expect(await exchange(direct)).toMatchObject({ body: "{}" });
    await closed[0];
    expect(await exchange(direct)).toMatchObject({ body: "{}" });
    expect(server.connections()).toBe(2);
  });

  test.each([
    ["is closed without notice", (socket: Socket) => socket.end(`${ok}{}`)],
    [
      "carries more than one response",
      (socket: Socket) => {
        socket.write(`${ok}{}`);
        setTimeout(() => socket.write(`${ok}[]`), 20);
      },
    ],
  ])("is the last shared connection if it %s", async (_when, respond) => {
    const closed: Promise<unknown>[] = [];
    const server = await listenRaw((socket) => {
      closed.push(once(socket, "close"));
      const isFirst = closed.length === 1;
      socket.on("data", () => (isFirst ? respond(socket) : socket.write(`${ok}{}`)));
    });
    const { direct } = await channels(server.origin, { isShared: true });
    await exchange(direct);
    await closed[0];
    for (let round = 0; round < 2; round += 1) expect(await exchange(direct)).toMatchObject({ body: "{}" });
    expect(server.connections()).toBe(3);
  });

  test("sends no request until everything that arrived with a response was read", async () => {
    const { cert, key } = selfSigned("localhost");
    let isFirst = true;
    const server = createTlsServer({ cert, key }, (socket) => {
      socket.setNoDelay(true).on("error", () => {});
      socket.on("data", () => {
        socket.cork();
        socket.write(`${ok}{}`);
        socket.uncork();
        // A separate TLS record, which Node.js passes on separately.
        if (isFirst) socket.write(`${ok}[]`);
        isFirst = false;
      });
    });
    let connections = 0;
    server.on("connection", () => {
      connections += 1;
    });
    const { port } = await open(server);
    const secure = (options: ConnectionOptions) => connectTls({ ...options, rejectUnauthorized: false });
    const direct = new DirectChannel(new URL(`https://localhost:${port}`), { isShared: true, secure });
    onTestFinished(() => direct.close());
    const bodies: string[] = [];
    for (let round = 0; round < 3; round += 1) bodies.push((await exchange(direct)).body);
    expect(bodies).toEqual(["{}", "{}", "{}"]);
    // The first connection carried more than its response, so no later connection is shared.
    expect(connections).toBe(3);
  });

  test("sends no waiting request after the channel is closed", async () => {
    const server = await listen((_request, response) => response.end("{}"));
    const { direct } = await channels(server.origin, { isShared: true });
    const second = await new Promise<Result>((resolve, reject) => {
      direct.begin(get, {
        head: () => {},
        data: () => {},
        end: () => {
          resolve(exchange(direct));
          direct.close();
        },
        failed: reject,
      });
    });
    expect(second.outcome).toBe("failed");
    expect(server.seen).toHaveLength(1);
  });

  test("is used again after a chunked body", async () => {
    const server = await listen((_request, response) => {
      response.write("[");
      response.end("]");
    });
    const { direct } = await channels(server.origin, { isShared: true });
    for (let round = 0; round < 3; round += 1) expect(await exchange(direct)).toMatchObject({ body: "[]" });
    expect(server.connections()).toBe(1);
  });
});

describe("a request", () => {
  const name = fc.constantFrom("Accept", "X-Any", "authorization", "User-Agent", "If-None-Match");
  const value = fc.string({ unit: fc.constantFrom(..."aZ9 \t~=;,"), maxLength: 20 });
  const requests: fc.Arbitrary<OutgoingRequest> = fc.record(
    {
      method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"),
      path: fc.constantFrom("/", "/v2/on-demand/rental?rentalId=1", "/%C3%A9?a=b&c"),
      headers: fc.dictionary(name, value, { maxKeys: 4 }),
      body: fc.string({ unit: "binary", maxLength: 300 }),
    },
    { requiredKeys: ["method", "path", "headers"] },
  );

  test("has the same bytes as if node:http sent it", async () => {
    const received: string[] = [];
    const server = await listenRaw((socket) => {
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
        if (text.length < text.indexOf("\r\n\r\n") + 4 + length) return;
        received.push(text);
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      });
    });
    const { direct, node } = await channels(server.origin);
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        received.length = 0;
        await exchange(direct, request);
        await exchange(node, request);
        expect(received[0]).toBe(received[1]);
      }),
      runs(200),
    );
  });

  test.each([
    ["a line break in a header", { headers: { Authorization: "Bearer a\r\nX-Other: b" } }],
    ["a character beyond Latin-1 in a header", { headers: { "X-Any": "€" } }],
    ["a header name that is not a token", { headers: { "X Any": "a" } }],
    ["a space in the path", { path: "/a b" }],
    ["a method with a space", { method: "GET /" }],
  ])("with %s is not sent", async (_what, change) => {
    const server = await listen((_request, response) => response.end());
    const { direct, node } = await channels(server.origin);
    for (const channel of [direct, node]) {
      const error = await failure((async () => exchange(channel, { ...get, ...change }))());
      expect(error.name).toBe("TypeError");
      expect(error.message).not.toContain("Bearer");
    }
    expect(server.connections()).toBe(0);
  });
});
