import { describe, expect, test } from "vitest";
import { Interrupted } from "../../src/core/errors.ts";
import { caller, failure, read, write } from "./calling.ts";
import { listen, listenRaw } from "./server.ts";

describe("a service that stops responding", () => {
  test("makes a read fail when every attempt has timed out", async () => {
    const server = await listen(() => {});
    const { call, slept } = caller(server.origin, { timeout: 500, retries: 1 });
    expect(await failure(call(...read))).toMatchObject({
      name: "NetworkError",
      code: "ETIMEDOUT",
      message: "no response within 0.5 s",
    });
    expect(server.seen).toHaveLength(2);
    expect(slept).toHaveLength(1);
  });

  test("leaves the outcome of a write unknown", async () => {
    const server = await listen(() => {});
    expect(await failure(caller(server.origin, { timeout: 500 }).call(...write))).toMatchObject({
      name: "UnknownOutcome",
      message: "no response within 0.5 s",
    });
    expect(server.seen).toHaveLength(1);
  });

  test("makes a request time out even in the middle of the body", async () => {
    const stalling = () =>
      listenRaw((socket) =>
        socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[")),
      );
    const { origin } = await stalling();
    const options = { timeout: 500, retries: 0 };
    expect(await failure(caller(origin, options).call(...read))).toMatchObject({
      name: "NetworkError",
      code: "ETIMEDOUT",
    });
    expect(await failure(caller(origin, options).call(...write))).toMatchObject({ name: "UnknownOutcome" });
  });

  test("makes a request time out even if `fetch` cannot be aborted", async () => {
    const stuck = { fetch: () => new Promise<never>(() => {}), timeout: 10, retries: 0 };
    expect(await failure(caller("http://localhost", stuck).call(...read))).toMatchObject({
      code: "ETIMEDOUT",
    });
  });
});

describe("the user interrupts", () => {
  function interrupting() {
    const controller = new AbortController();
    return { signal: controller.signal, interrupt: () => controller.abort(new Interrupted()) };
  }

  test("a read: it ends immediately and is not retried", async () => {
    const { signal, interrupt } = interrupting();
    const server = await listen(interrupt);
    expect(await failure(caller(server.origin, { signal }).call(...read))).toMatchObject({
      name: "Interrupted",
    });
    expect(server.seen).toHaveLength(1);
  });

  test("a write: the error says that it may have taken effect", async () => {
    const { signal, interrupt } = interrupting();
    const server = await listen(interrupt);
    expect(await failure(caller(server.origin, { signal }).call(...write))).toMatchObject({
      name: "InterruptedWrite",
      request: { method: "POST", url: `${server.origin}/v2/on-demand/virtual-machine-rentals` },
    });
  });

  test("a write during its response: the error says that it may have taken effect", async () => {
    const { signal, interrupt } = interrupting();
    const server = await listen((_request, response) => {
      response.writeHead(200, { "Content-Length": "100" });
      response.write('{"id":');
      interrupt();
    });
    expect(await failure(caller(server.origin, { signal }).call(...write))).toMatchObject({
      name: "InterruptedWrite",
    });
  });

  test("before a write is sent: nothing can have taken effect", async () => {
    const { signal, interrupt } = interrupting();
    const server = await listenRaw(interrupt);
    const secure = server.origin.replace("http:", "https:");
    expect(await failure(caller(secure, { signal }).call(...write))).toMatchObject({ name: "Interrupted" });
  });

  test("before the first request: nothing is sent", async () => {
    const { signal, interrupt } = interrupting();
    interrupt();
    const server = await listen(() => {});
    const { call, stream } = caller(server.origin, { signal });
    expect(await failure(call(...write))).toMatchObject({ name: "Interrupted" });
    expect(await failure(call(...read))).toMatchObject({ name: "Interrupted" });
    expect(await failure(stream("createChatCompletion", { model: "x", messages: [] }))).toMatchObject({
      name: "Interrupted",
    });
    expect(server.connections()).toBe(0);
  });
});
