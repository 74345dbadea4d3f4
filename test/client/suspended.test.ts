import { Worker } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import { prepareWrite } from "../../src/client/prepared.ts";
import { acceptAnything, wireRequest } from "../../src/client/request.ts";
import type { Channel } from "../../src/client/transport/channel.ts";
import { createTransport } from "../../src/client/transport/transport.ts";
import { caller, failure, key } from "./calling.ts";
import { listen } from "./server.ts";

const serverCode = `
const { createServer } = require("node:http");
const { parentPort, workerData } = require("node:worker_threads");
const answered = new Int32Array(workerData);
const server = createServer((request, response) => {
  request.resume().on("end", () => response.end('{"id":"r-1"}', () => {
    Atomics.store(answered, 0, 1);
    Atomics.notify(answered, 0);
  }));
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

const timeout = 300;

/** A server in another thread, which responds while this thread is suspended. */
async function answering() {
  const shared = new SharedArrayBuffer(4);
  const worker = new Worker(serverCode, { eval: true, workerData: shared });
  onTestFinished(async () => void (await worker.terminate()));
  const port = await new Promise<number>((resolve) => worker.once("message", resolve));
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Suspends this thread until the server has responded and every timer is overdue. */
    suspend: () => {
      const cell = new Int32Array(shared);
      Atomics.wait(cell, 0, 0);
      Atomics.wait(cell, 0, 1, timeout + 1_500);
    },
  };
}

describe("the response to a request of a suspended process", () => {
  test("is the result of a write, although its timeout has passed", async () => {
    const { origin, suspend } = await answering();
    const transport = createTransport();
    onTestFinished(transport.close);
    const { call } = caller(origin, {
      timeout,
      fetch: (url, init) => transport.fetch(url, { ...init, onSent: suspend }),
    });
    expect(await call("createVirtualMachineRental", { gpuCount: 1 })).toEqual({ id: "r-1" });
  });

  test("is the result of a prepared write, although its timeout has passed", async () => {
    const { origin, suspend } = await answering();
    const transport = createTransport();
    onTestFinished(transport.close);
    const request = wireRequest(
      { method: "POST", path: "/v1/images", host: "inference", effect: "generate", body: "" },
      {
        baseUrl: origin,
        inferenceBaseUrl: undefined,
        apiKey: key,
        userAgent: "gpuctl/1",
        insecureHttp: false,
      },
      acceptAnything,
    );
    const channel = await transport.sharedByWrites?.(request.url);
    if (!channel) throw new Error("no connections");
    const connections: Channel = {
      host: channel.host,
      close: channel.close,
      begin: (outgoing, receiver) =>
        channel.begin(outgoing, {
          sent: suspend,
          head: (head) => receiver.head(head),
          data: (part) => receiver.data(part),
          end: () => receiver.end(),
          failed: (cause) => receiver.failed(cause),
        }),
    };
    const send = prepareWrite(request, {
      connections,
      redact: (text) => text,
      timeout: { compute: timeout, inference: timeout },
      now: () => 0,
    });
    expect((await send("{}")).text()).toBe('{"id":"r-1"}');
  });

  test("is not waited for forever: if none arrives, the request times out", async () => {
    const silent = await listen(() => {});
    const suspend = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeout + 1_500);
    const transport = createTransport();
    onTestFinished(transport.close);
    const { call } = caller(silent.origin, {
      timeout,
      fetch: (url, init) => transport.fetch(url, { ...init, onSent: suspend }),
    });
    expect(await failure(call("createVirtualMachineRental", { gpuCount: 1 }))).toMatchObject({
      name: "UnknownOutcome",
      message: "no response within 0.3 s",
    });
  });
});
