import { createServer as createPlain } from "node:http";
import { createServer as createSecure } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { probe } from "../../src/client/probe/probe.ts";
import { selfSigned } from "./certificate.ts";

async function portOf(server: Server & { closeAllConnections(): void }): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test("an untrusted certificate is reported, and no credential is sent", async () => {
  const seen: unknown[] = [];
  const port = await portOf(
    createSecure(selfSigned("localhost"), ({ method, headers }, response) => {
      seen.push([method, headers.authorization]);
      response.end();
    }),
  );
  const { certificate, date } = await probe(`https://me:secret@localhost:${port}/api`, 5_000);
  expect(certificate).toEqual({
    issuer: "localhost",
    validTo: Date.UTC(2120, 0, 1),
    problem: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  expect(Date.parse(date ?? "")).not.toBeNaN();
  expect(seen).toEqual([["HEAD", undefined]]);
});

test("a service on plain http has no certificate, and may respond with any status", async () => {
  const port = await portOf(createPlain((_request, response) => response.writeHead(403).end()));
  // Loopback hosts are reached directly, even if a proxy is set.
  vi.stubEnv("HTTP_PROXY", "http://127.0.0.1:9");
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const found = await probe(`http://127.0.0.1:${port}`, 5_000);
  expect(found).toEqual({ certificate: undefined, isSandbox: false, date: expect.any(String) });
});

test("a refused connection and a timeout are reported", async () => {
  await expect(probe("http://127.0.0.1:9", 5_000)).rejects.toThrow("connection refused");
  const port = await portOf(createPlain(() => {}));
  const failed = expect(probe(`http://127.0.0.1:${port}`, 50)).rejects;
  await failed.toMatchObject({ name: "ConnectionFailed", message: "no response within 0.05 s" });
});

test.each(["http", "https"])("a proxy that does not respond is reported for %s", async (scheme) => {
  const stalled = createTcp((socket) => {
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => stalled.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void stalled.close());
  const { port } = stalled.address() as AddressInfo;
  vi.stubEnv(`${scheme.toUpperCase()}_PROXY`, `http://127.0.0.1:${port}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const failed = expect(probe(`${scheme}://api.example.com`, 50)).rejects;
  await failed.toMatchObject({ name: "ConnectionFailed", message: "no response within 0.05 s" });
});

test("a served sandbox is recognized", async () => {
  const port = await portOf(
    createPlain((_request, response) => response.writeHead(404, { "x-gpuctl-sandbox": "1" }).end()),
  );
  expect(await probe(`http://127.0.0.1:${port}`, 5_000)).toMatchObject({ isSandbox: true });
});
