import { createServer } from "node:https";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { caller, failure, read, write } from "./calling.ts";
import { selfSigned } from "./certificate.ts";
import { json, listen, listenRaw, open } from "./server.ts";

const certificate = selfSigned("localhost");

async function listenSecurely() {
  const paths: string[] = [];
  const server = createServer(certificate, (request, response) => {
    paths.push(`${request.method} ${request.url}`);
    request
      .resume()
      .on("end", () => json(response, request.method === "GET" ? ["secure"] : { is: "secure" }));
  });
  const { port, connections } = await open(server);
  return { origin: `https://localhost:${port}`, paths, connections };
}

describe("a request over https", () => {
  beforeEach(() => {
    vi.unstubAllEnvs();
    return () => vi.unstubAllEnvs();
  });

  test("gets its response, and only a write opens a connection of its own", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    const server = await listenSecurely();
    const { call } = caller(server.origin);
    expect(await call(...read)).toEqual(["secure"]);
    expect(await call(...read)).toEqual(["secure"]);
    expect(await call(...write)).toEqual({ is: "secure" });
    expect(server.paths).toEqual([
      "GET /v2/on-demand/storage-volumes",
      "GET /v2/on-demand/storage-volumes",
      "POST /v2/on-demand/virtual-machine-rentals",
    ]);
    expect(server.connections()).toBe(2);
  });

  test("fails before anything is sent if the certificate is not trusted", async () => {
    const server = await listenSecurely();
    const { call } = caller(server.origin, { retries: 0 });
    expect(await failure(call(...write))).toMatchObject({
      name: "NetworkError",
      code: "DEPTH_ZERO_SELF_SIGNED_CERT",
      message: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    expect(server.paths).toEqual([]);
  });

  test("to a port that speaks plain http fails before anything is sent", async () => {
    const server = await listen((_request, response) => json(response, []));
    const { call } = caller(server.origin.replace("http:", "https:"), { retries: 0 });
    expect(await failure(call(...write))).toMatchObject({
      name: "NetworkError",
      message: expect.stringContaining("the server does not use TLS on this port"),
    });
    expect(server.seen).toEqual([]);
  });

  test("whose handshake is refused fails with the reason on one line", async () => {
    const server = createServer({ ...certificate, maxVersion: "TLSv1.1", minVersion: "TLSv1" });
    const { port } = await open(server);
    const { call } = caller(`https://localhost:${port}`, { retries: 0 });
    expect(await failure(call(...write))).toMatchObject({
      name: "NetworkError",
      message: expect.stringMatching(/^the TLS connection failed: [\w ]+ \(localhost:\d+\)$/),
    });
  });

  test("whose handshake is cut off fails before anything is sent", async () => {
    const server = await listenRaw((socket) => socket.once("data", () => socket.end()));
    const { call } = caller(server.origin.replace("http:", "https:"), { retries: 0 });
    expect(await failure(call(...write))).toMatchObject({ name: "NetworkError" });
    expect(server.received()).not.toContain("POST");
  });

  test("whose handshake never ends times out before anything is sent", async () => {
    const server = await listenRaw(() => {});
    const { call } = caller(server.origin.replace("http:", "https:"), { timeout: 50 });
    expect(await failure(call(...write))).toMatchObject({
      name: "NetworkError",
      code: "ETIMEDOUT",
      message: expect.stringContaining("no response within 0.05 s"),
    });
  });
});
