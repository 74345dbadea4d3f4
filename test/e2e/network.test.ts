import { writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../client/certificate.ts";
import { createHome, key } from "../support/process.ts";

/** Listens on a free port until the test ends. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const host = "api.example.test";

/** An HTTPS service, a proxy that connects to it, and a home configured for both. */
async function throughProxy() {
  const certificate = selfSigned(host);
  const respond = (_request: unknown, response: ServerResponse) => response.end("[]");
  const service = await listen(createSecureServer(certificate, respond));
  const requests: string[] = [];
  const proxy = await listen(
    createServer((socket) =>
      socket.once("data", (chunk) => {
        requests.push(String(chunk).split("\r\n")[0] ?? "");
        const onward = connect(service, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          socket.pipe(onward).pipe(socket);
        });
        onward.on("error", () => socket.destroy());
      }),
    ),
  );
  const home = await createHome({
    GPUCTL_BASE_URL: `https://${host}`,
    GPUCTL_API_KEY: key,
    HTTPS_PROXY: `http://127.0.0.1:${proxy}`,
  });
  const authority = join(home.folder, "authority.pem");
  await writeFile(authority, certificate.cert);
  return { ...home, requests, authority };
}

describe("gpuctl behind a corporate proxy", () => {
  test("connects through the proxy and trusts the CA in NODE_EXTRA_CA_CERTS", async () => {
    const { run, requests, authority } = await throughProxy();
    const env = { NODE_EXTRA_CA_CERTS: authority };
    expect(await run("volumes list -o json", { env })).toEqual({ code: 0, out: "[]\n", err: "" });
    expect(requests).toEqual([`CONNECT ${host}:443 HTTP/1.1`]);
  });

  test("names NODE_EXTRA_CA_CERTS in the error if the CA is missing", async () => {
    const { run } = await throughProxy();
    const { code, out, err } = await run("volumes list --retries 0");
    expect({ code, out }).toEqual({ code: 9, out: "" });
    expect(err).toContain("NODE_EXTRA_CA_CERTS");
  });

  test("gives up after --timeout if the proxy never responds", async () => {
    const proxy = await listen(createServer(() => {}));
    const { run } = await createHome({
      GPUCTL_BASE_URL: `https://${host}`,
      GPUCTL_API_KEY: key,
      HTTPS_PROXY: `http://127.0.0.1:${proxy}`,
    });
    const { code, err } = await run(
      "volumes create --region us-central-1 --label data --size-in-gb 256 --timeout 1s --retries 0",
    );
    expect(code).toBe(9);
    expect(err).toContain("no response within 1 s");
  });
});

describe("a service on localhost", () => {
  test("is reached without the proxy", async () => {
    const seen: string[] = [];
    const proxy = await listen(createServer((socket) => socket.destroy()));
    const port = await listen(
      createHttpServer((request, response) => {
        seen.push(request.url ?? "");
        response.end("[]");
      }),
    );
    const { run } = await createHome({
      GPUCTL_BASE_URL: `http://127.0.0.1:${port}`,
      GPUCTL_API_KEY: key,
      HTTP_PROXY: `http://127.0.0.1:${proxy}`,
    });
    expect(await run("volumes list -o json")).toEqual({ code: 0, out: "[]\n", err: "" });
    expect(seen).toEqual(["/v2/on-demand/storage-volumes"]);
  });

  test("is reported with ECONNREFUSED and its address if nothing listens there", async () => {
    const { run } = await createHome({ GPUCTL_BASE_URL: "http://127.0.0.1:1", GPUCTL_API_KEY: key });
    const { code, out, err } = await run("volumes list --retries 0 -o json");
    expect({ code, out }).toEqual({ code: 9, out: "" });
    expect(JSON.parse(err).error).toMatchObject({
      code: "ECONNREFUSED",
      exitCode: 9,
      retryable: true,
      request: { method: "GET", url: "http://127.0.0.1:1/v2/on-demand/storage-volumes" },
    });
  });
});
