import { createServer as createPlain } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { knock } from "../../src/client/knock.ts";
import { selfSigned } from "./certificate.ts";

async function portOf(server: Server & { closeAllConnections(): void }): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test("a certificate that is not to be trusted is looked at, with no credential sent", async () => {
  const seen: unknown[] = [];
  const port = await portOf(
    createSecure(selfSigned("localhost"), ({ method, headers }, response) => {
      seen.push([method, headers.authorization]);
      response.end();
    }),
  );
  const { certificate, date } = await knock(`https://me:secret@localhost:${port}/api`, {}, 5_000);
  expect(certificate).toEqual({
    issuer: "localhost",
    validTo: Date.UTC(2120, 0, 1),
    problem: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  expect(Date.parse(date ?? "")).not.toBeNaN();
  expect(seen).toEqual([["HEAD", undefined]]);
});

test("plain http has no certificate, and any status will do", async () => {
  const port = await portOf(createPlain((_request, response) => response.writeHead(403).end()));
  const found = await knock(`http://127.0.0.1:${port}`, { HTTP_PROXY: "http://127.0.0.1:9" }, 5_000);
  expect(found).toEqual({ certificate: undefined, date: expect.any(String) });
});

test("nobody there, and nobody who answers in time", async () => {
  await expect(knock("http://127.0.0.1:9", {}, 5_000)).rejects.toThrow("nothing listens there");
  const port = await portOf(createPlain(() => {}));
  await expect(knock(`http://127.0.0.1:${port}`, {}, 50)).rejects.toThrow("no answer within 0.05 s");
});

test("the time of a sandbox, which may be any, is not taken for that of a host", async () => {
  const port = await portOf(
    createPlain((_request, response) => response.writeHead(404, { "x-gpuctl-sandbox": "1" }).end()),
  );
  expect((await knock(`http://127.0.0.1:${port}`, {}, 5_000)).date).toBeUndefined();
});
