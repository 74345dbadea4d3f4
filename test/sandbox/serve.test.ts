import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { CannotListen, serve } from "../../src/sandbox/index.ts";
import { isOwnConnection } from "../../src/sandbox/peer.ts";
import { openSandbox } from "./harness.ts";

const anywhere = { host: "127.0.0.1", port: 0 };

test("a served sandbox responds over HTTP at the reported address", async () => {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, anywhere);
  onTestFinished(close);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const description = await (await fetch(`${url}/v2/openapi.json`)).json();
  expect(description).toMatchObject({ servers: [{ url }] });
  const response = await fetch(`${url}/v2/on-demand/request-reservation`, {
    method: "POST",
    headers: { authorization: `Bearer ${sandbox.keys.full}`, "content-type": "application/json" },
    body: '{"gpuCount":8}',
  });
  expect(response.status).toBe(200);
});

test("a served sandbox accepts a request without a body and a body of unknown length", async () => {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, anywhere);
  onTestFinished(close);
  const headers = { authorization: `Bearer ${sandbox.keys.full}`, "content-type": "application/json" };
  const chunked = await fetch(`${url}/v2/on-demand/request-reservation`, {
    method: "POST",
    headers,
    body: new Blob(['{"gpuCount":8}']).stream(),
    duplex: "half",
  });
  expect(chunked.status).toBe(200);
  expect((await fetch(`${url}/users/me`, { method: "DELETE", headers })).status).toBe(200);
});

test("a port that is in use causes a clear error", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const serving = serve(await openSandbox(), { host: "127.0.0.1", port });
  await expect(serving).rejects.toThrow(CannotListen);
  await expect(serving).rejects.toThrow(`Cannot serve at 127.0.0.1 port ${port}: the port is in use`);
});

test("an address of another machine causes a clear error", async () => {
  await expect(serve(await openSandbox(), { host: "192.0.2.1", port: 0 })).rejects.toThrow(
    "this machine has no such address",
  );
});

test("closing ends a response in progress", async () => {
  const endless = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("one")) });
  const handler = { fetch: async () => new Response(endless), handleControl: () => undefined };
  const { url, close } = await serve(handler, anywhere);
  const response = await fetch(url);
  const reading = response.text();
  await Promise.all([close(), expect(reading).rejects.toThrow()]);
});

test.runIf(process.platform === "linux")(
  "a connection that its sender has closed does not count as the user's own, even if the system says that root owns it",
  async () => {
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, "connection");
    const client = connect(port, "127.0.0.1");
    const [socket]: Socket[] = await accepted;
    onTestFinished(() => void socket?.destroy());
    const { remoteAddress, remotePort } = socket ?? {};
    expect(await isOwnConnection({ remoteAddress, remotePort, localPort: port })).toBe(true);
    client.destroy();
    await once(client, "close");
    expect(await isOwnConnection({ remoteAddress, remotePort, localPort: port })).toBe(false);
  },
);

test.each([
  ["leaves in the middle of the body", "content-length: 1000\r\n\r\n{"],
  ["sends a malformed chunk", "transfer-encoding: chunked\r\n\r\nz\r\n"],
])("a request whose client %s is logged without a status", async (_, rest) => {
  const sandbox = await openSandbox();
  const server = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const { port, host } = new URL(server.url);
  const client = connect(Number(port), "127.0.0.1");
  const key = sandbox.keys.full;
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n${rest}`,
  );
  client.end();
  const [response] = await once(client, "data");
  // Node.js itself responds.
  expect(String(response)).toMatch(/^HTTP\/1.1 400 /);
  await expect.poll(() => sandbox.requests.list({ limit: 5 })).toMatchObject([{ status: null }]);
});
