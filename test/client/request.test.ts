import { describe, expect, test } from "vitest";
import { requestParts, type Target, wireRequest } from "../../src/client/request.ts";
import { caller, failure, key, read, write } from "./calling.ts";
import { json, listen } from "./server.ts";

const target: Target = {
  baseUrl: "https://api.example.com",
  inferenceBaseUrl: undefined,
  apiKey: key,
  userAgent: "gpuctl/1.2.3",
  insecureHttp: false,
};
const list = { method: "GET", path: "/v2/on-demand/rental", host: "compute", in: "query" } as const;
const chat = { method: "POST", path: "/v1/chat/completions", host: "inference", in: "body" } as const;
const urlFor = (change: Partial<Target>, input = {}, route: typeof list | typeof chat = list) =>
  wireRequest(requestParts(route, input), { ...target, ...change }).url;

describe("a parameter of the path", () => {
  const attach = {
    method: "PUT",
    path: "/v2/on-demand/storage-volumes/{storageVolumeId}/rentals",
    host: "compute",
    in: "body",
  } as const;

  test("is taken from the input, escaped, and not sent again in the body", () => {
    const { url, body } = wireRequest(
      requestParts(attach, { storageVolumeId: "a/b c", rentalIds: [1] }),
      target,
    );
    expect(url).toBe("https://api.example.com/v2/on-demand/storage-volumes/a%2Fb%20c/rentals");
    expect(body).toBe('{"rentalIds":[1]}');
  });

  test.each([undefined, "", ".", ".."])(
    "is rejected if its value is %j, which would lead to another path",
    (storageVolumeId) => {
      expect(() => requestParts(attach, { storageVolumeId })).toThrow(
        "storageVolumeId cannot be used in a path",
      );
    },
  );
});

describe("the URL", () => {
  test.each([
    ["https://api.example.com", "https://api.example.com/v2/on-demand/rental"],
    ["https://api.example.com/", "https://api.example.com/v2/on-demand/rental"],
    ["https://api.example.com///", "https://api.example.com/v2/on-demand/rental"],
    ["https://example.com/gpu/api", "https://example.com/gpu/api/v2/on-demand/rental"],
    ["https://example.com/gpu/api/", "https://example.com/gpu/api/v2/on-demand/rental"],
    ["https://example.com/a%20b", "https://example.com/a%20b/v2/on-demand/rental"],
    ["https://example.com:8443?team=a", "https://example.com:8443/v2/on-demand/rental?team=a"],
    ["https://example.com/x#y", "https://example.com/x/v2/on-demand/rental"],
    ["http://[::1]:8787", "http://[::1]:8787/v2/on-demand/rental"],
  ])("preserves the path and the query of %s", (baseUrl, url) => {
    expect(urlFor({ baseUrl })).toBe(url);
  });

  test("has the query of the base URL and the escaped query of the request", () => {
    const url = new URL(urlFor({ baseUrl: "https://example.com?team=a" }, { rentalId: "a/b &c=ü" }));
    expect([...url.searchParams]).toEqual([
      ["team", "a"],
      ["rentalId", "a/b &c=ü"],
    ]);
  });

  test("omits undefined values", () => {
    expect(urlFor({}, { includeClusterPools: undefined })).toBe(
      "https://api.example.com/v2/on-demand/rental",
    );
  });

  test("starts with the inference base URL for inference, and with the base URL otherwise", () => {
    expect(urlFor({ inferenceBaseUrl: "https://infer.example.com/x" }, {}, chat)).toBe(
      "https://infer.example.com/x/v1/chat/completions",
    );
    expect(urlFor({}, {}, chat)).toBe("https://api.example.com/v1/chat/completions");
    expect(urlFor({ inferenceBaseUrl: "https://infer.example.com" })).toBe(
      "https://api.example.com/v2/on-demand/rental",
    );
  });

  test("does not include the password of the base URL", () => {
    expect(urlFor({ baseUrl: "https://me:secret@example.com" })).toBe(
      "https://example.com/v2/on-demand/rental",
    );
  });

  test("needs a base URL", () => {
    expect(() => urlFor({ baseUrl: undefined })).toThrow("no base URL");
  });
});

describe("the key", () => {
  test.each([
    "http://api.example.com",
    "http://10.0.0.1",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://evillocalhost",
    "http://127.evil.example",
  ])("is not sent to %s over plain http, unless `insecureHttp` is set", (baseUrl) => {
    expect(() => urlFor({ baseUrl })).toThrow(expect.objectContaining({ name: "InsecureUrl" }));
    expect(urlFor({ baseUrl, insecureHttp: true })).toMatch(/^http:/);
  });

  test.each([
    "http://127.0.0.1:1",
    "http://127.8.9.1",
    "http://localhost:1",
    "http://x.localhost",
    "http://[::1]:1",
  ])("can be sent to %s, which is local", (baseUrl) => {
    expect(urlFor({ baseUrl })).toMatch(/^http:/);
  });

  const keyOf = (apiKey: string) => wireRequest(list, { ...target, apiKey }).headers.Authorization;

  test("can have whitespace around it", () => {
    expect(keyOf(` ${key}\r\n`)).toBe(`Bearer ${key}`);
  });

  test.each(["", " \n", "two words", "sk-ü", "sk\u0000x", "sk\r\nHost: x"])("cannot be %j", (apiKey) => {
    const error = () => keyOf(apiKey);
    expect(error).toThrow(expect.objectContaining({ name: "NoCredential" }));
    expect(error).not.toThrow(apiKey.trim() || "Bearer");
  });

  test("is required, except to read the service's description", async () => {
    const server = await listen((_request, response) => json(response, { openapi: "3.1.0" }));
    const { call } = caller(server.origin, { target: { apiKey: undefined } });
    expect(await call("getOpenApiDocument", {})).toEqual({ openapi: "3.1.0" });
    expect(await failure(call(...read))).toMatchObject({ name: "NoCredential" });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });
});

describe("the request on the wire", () => {
  const headersOf = (rawHeaders: readonly string[] = []) =>
    Object.fromEntries(rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]]] : [])));

  test("has the documented headers and no body for a read", async () => {
    const server = await listen((_request, response) => json(response, []));
    await caller(server.origin).call(...read);
    const [seen] = server.seen;
    expect(seen).toMatchObject({ method: "GET", path: "/v2/on-demand/storage-volumes", body: "" });
    expect(headersOf(seen?.rawHeaders)).toEqual({
      Accept: "application/json",
      "Accept-Encoding": "identity",
      Authorization: `Bearer ${key}`,
      Connection: "keep-alive",
      Host: new URL(server.origin).host,
      "User-Agent": "gpuctl/1.2.3",
    });
  });

  test("has a body and its length in bytes for a write", async () => {
    const server = await listen((_request, response) => json(response, {}));
    await caller(server.origin).call("createVirtualMachineRental", { gpuCount: 1, label: "grün 🖥" });
    const [seen] = server.seen;
    expect(seen?.body).toBe('{"gpuCount":1,"label":"grün 🖥"}');
    expect(headersOf(seen?.rawHeaders)).toEqual({
      Accept: "application/json",
      "Accept-Encoding": "identity",
      Authorization: `Bearer ${key}`,
      Connection: "keep-alive",
      "Content-Length": String(Buffer.byteLength(seen?.body ?? "")),
      "Content-Type": "application/json",
      Host: new URL(server.origin).host,
      "User-Agent": "gpuctl/1.2.3",
    });
  });

  test("is reported to observers, without the key", async () => {
    const server = await listen((_request, response) => json(response, {}, 200, { Sunset: "tomorrow" }));
    const { call, exchanges } = caller(server.origin);
    await call(...write);
    expect(exchanges).toMatchObject([
      { method: "POST", url: `${server.origin}/v2/on-demand/virtual-machine-rentals`, status: 200 },
    ]);
    expect(exchanges[0]?.header("Sunset")).toBe("tomorrow");
    expect(JSON.stringify(exchanges)).not.toContain(key);
  });
});
