import { createServer as createSecureServer } from "node:https";
import { connect } from "node:net";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { caller, failure, key, read, write } from "./calling.ts";
import { selfSigned } from "./certificate.ts";
import { json, listen, listenRaw, open } from "./server.ts";

const remote = { target: { insecureHttp: true } };

beforeEach(() => {
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, "");
    vi.stubEnv(name.toLowerCase(), "");
  }
  return () => vi.unstubAllEnvs();
});

describe("the proxy for plain http", () => {
  test.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY"])("gets the absolute URL if set in %s", async (name) => {
    const proxy = await listen(({ method }, response) =>
      json(response, method === "GET" ? ["by proxy"] : { by: "proxy" }),
    );
    vi.stubEnv(name, proxy.origin);
    const { call } = caller("http://api.example.test/x?team=a", remote);
    expect(await call(...read)).toEqual(["by proxy"]);
    expect(await call(...write)).toEqual({ by: "proxy" });
    expect(proxy.seen).toMatchObject([
      { method: "GET", path: "http://api.example.test/x/v2/on-demand/storage-volumes?team=a" },
      { method: "POST", body: '{"gpuCount":1}' },
    ]);
    expect(proxy.seen[0]?.headers).toMatchObject({
      host: "api.example.test",
      authorization: `Bearer ${key}`,
    });
  });

  test("gets a new connection for every write, and a shared one for reads", async () => {
    const proxy = await listen(({ method }, response) => json(response, method === "GET" ? [] : {}));
    vi.stubEnv("HTTP_PROXY", proxy.origin);
    const { call } = caller("http://api.example.test", remote);
    await call(...read);
    await call(...write);
    await call(...read);
    await call(...write);
    expect(proxy.connections()).toBe(3);
  });

  test("gets the user name and password from its URL", async () => {
    const proxy = await listen((_request, response) => json(response, []));
    vi.stubEnv("HTTP_PROXY", proxy.origin.replace("//", "//me:p%40ss@"));
    await caller("http://api.example.test:81", remote).call(...read);
    expect(proxy.seen[0]?.headers["proxy-authorization"]).toBe(`Basic ${btoa("me:p@ss")}`);
    expect(proxy.seen[0]?.path).toMatch(/^http:\/\/api\.example\.test:81\//);
  });

  test("is bypassed for the hosts in NO_PROXY", async () => {
    const proxy = await listen((_request, response) => json(response, ["by proxy"]));
    vi.stubEnv("HTTP_PROXY", proxy.origin);
    vi.stubEnv("NO_PROXY", "other.test,.example.invalid");
    const direct = caller("http://api.example.invalid", { ...remote, retries: 0 });
    expect(await failure(direct.call(...read))).toMatchObject({ name: "NetworkError" });
    expect(await caller("http://example.test", remote).call(...read)).toEqual(["by proxy"]);
    expect(proxy.seen).toHaveLength(1);
  });

  test.each(["127.0.0.1", "localhost"])("is never used for localhost: %s", async (host) => {
    const proxy = await listen((_request, response) => json(response, ["by proxy"]));
    const server = await listen((_request, response) => json(response, ["direct"]));
    vi.stubEnv("HTTP_PROXY", proxy.origin);
    expect(await caller(`http://${host}:${server.port}`).call(...read)).toEqual(["direct"]);
    expect(proxy.connections()).toBe(0);
  });

  test("that breaks leaves the outcome of a write unknown", async () => {
    const proxy = await listenRaw((socket) => socket.once("data", () => socket.resetAndDestroy()));
    vi.stubEnv("HTTP_PROXY", proxy.origin);
    expect(await failure(caller("http://api.example.test", remote).call(...write))).toMatchObject({
      name: "UnknownOutcome",
    });
    expect(proxy.connections()).toBe(1);
  });

  test.each(["http://[", "socks5://127.0.0.1:1080"])("cannot be %s", async (address) => {
    vi.stubEnv("HTTP_PROXY", address);
    expect(await failure(caller("http://api.example.test", remote).call(...write))).toMatchObject({
      name: "NetworkError",
      code: "EPROXY",
    });
  });
});

describe("the proxy in HTTPS_PROXY", () => {
  test.each(["with", "without"])(
    "opens a tunnel and sees neither the key nor the request, if its address is written %s a scheme",
    async (scheme) => {
      vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
      const service = createSecureServer(selfSigned("api.example.test"), (request, response) =>
        request.resume().on("end", () => json(response, [{ host: request.headers.host, url: request.url }])),
      );
      const { port } = await open(service);
      let tunnels = 0;
      const proxy = await listenRaw((socket) =>
        socket.once("data", () => {
          tunnels += 1;
          const onward = connect(port, "127.0.0.1", () => {
            socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
            socket.pipe(onward).pipe(socket);
          });
          onward.on("error", () => socket.destroy());
        }),
      );
      vi.stubEnv("HTTPS_PROXY", scheme === "with" ? proxy.origin : new URL(proxy.origin).host);
      const { call } = caller("https://api.example.test");
      const target = [{ host: "api.example.test", url: "/v2/on-demand/storage-volumes" }];
      expect(await call(...read)).toEqual(target);
      expect(await call(...read)).toEqual(target);
      expect(tunnels).toBe(1);
      expect(proxy.received()).toMatch(/^CONNECT api\.example\.test:443 HTTP\/1\.1\r\n/);
      expect(proxy.received()).not.toContain(key);
      expect(proxy.received()).not.toContain("storage-volumes");
    },
  );

  test.each([407, 502])("that returns %i forwards nothing: a write is not sent", async (status) => {
    const proxy = await listenRaw((socket) =>
      socket.once("data", () => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\nno`)),
    );
    vi.stubEnv("HTTPS_PROXY", proxy.origin);
    expect(await failure(caller("https://api.example.test").call(...write))).toMatchObject({
      name: "NetworkError",
      code: "EPROXY",
      message: `the proxy responded ${status} and did not connect to api.example.test`,
    });
    expect(proxy.received()).not.toContain(key);
  });

  test("that cannot be reached is a network failure", async () => {
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");
    expect(await failure(caller("https://api.example.test").call(...write))).toMatchObject({
      name: "NetworkError",
      code: "ECONNREFUSED",
    });
  });

  test("that never responds makes a write time out before the write is sent", async () => {
    let closed = () => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const proxy = await listenRaw((socket) => socket.on("close", closed));
    vi.stubEnv("HTTPS_PROXY", proxy.origin);
    const { call, close } = caller("https://api.example.test", { timeout: 50 });
    expect(await failure(call(...write))).toMatchObject({ name: "NetworkError", code: "ETIMEDOUT" });
    close();
    await closing;
  });
});
