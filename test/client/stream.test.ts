import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { Fetch } from "../../src/client/fetch.ts";
import type { InputOf } from "../../src/contract/index.ts";
import { Interrupted } from "../../src/core/errors.ts";
import { caller, failure, key } from "./calling.ts";
import { json, listen } from "./server.ts";

const chat: ["createChatCompletion", InputOf<"createChatCompletion">] = [
  "createChatCompletion",
  { model: "x", messages: [], stream: true },
];
const events = (response: ServerResponse) => response.writeHead(200, { "Content-Type": "text/event-stream" });

async function* stallingBody() {
  yield Buffer.from("data: 0\n\n");
  await new Promise(() => {});
}

/** The events of a stream, and the error that ended it, if any. */
async function gather(stream: Promise<AsyncIterable<{ data: string }>>, onEvent = () => {}) {
  const received: string[] = [];
  try {
    for await (const { data } of await stream) {
      received.push(data);
      onEvent();
    }
    return { received };
  } catch (error) {
    return { received, error };
  }
}

describe("a stream", () => {
  test("is requested, and yields each event as it arrives", async () => {
    let next = () => {};
    const server = await listen((_request, response) => {
      events(response).write("data: 0\n\n");
      let index = 0;
      next = () => {
        index += 1;
        if (index < 3) response.write(`data: ${index}\n\n`);
        else response.end("data: [DONE]");
      };
    });
    expect(await gather(caller(server.origin).stream(...chat), () => next())).toEqual({
      received: ["0", "1", "2", "[DONE]"],
    });
    expect(server.seen).toMatchObject([
      {
        method: "POST",
        path: "/v1/chat/completions",
        headers: { accept: "text/event-stream, application/json", authorization: `Bearer ${key}` },
      },
    ]);
  });

  test("can be one JSON response instead", async () => {
    const server = await listen((_request, response) => json(response, { choices: [] }));
    expect(await gather(caller(server.origin).stream(...chat))).toEqual({ received: ['{"choices":[]}'] });
  });

  test.each([
    [400, "ServiceError"],
    [429, "ServiceError"],
    [500, "UnknownOutcome"],
  ])("with status %i is not requested again", async (status, name) => {
    const server = await listen((_request, response) => json(response, { error: "no" }, status));
    expect(await failure(caller(server.origin).stream(...chat))).toMatchObject({ name, status });
    expect(server.seen).toHaveLength(1);
  });

  test("has an unknown outcome if it is reset before the response headers arrive", async () => {
    const server = await listen((_request, response) => response.socket?.resetAndDestroy());
    expect(await failure(caller(server.origin).stream(...chat))).toMatchObject({ name: "UnknownOutcome" });
    expect(server.seen).toHaveLength(1);
  });

  test("that breaks keeps the partial output, and is reported as truncated", async () => {
    const server = await listen((_request, response) => {
      events(response).write("data: 0\n\ndata: 1\n\n", () => response.socket?.resetAndDestroy());
    });
    expect(await gather(caller(server.origin).stream(...chat))).toMatchObject({
      received: ["0", "1"],
      error: { name: "StreamTruncated", message: expect.stringContaining("the response was cut off") },
    });
    expect(server.seen).toHaveLength(1);
  });

  test("that stalls times out", async () => {
    const server = await listen((_request, response) => {
      events(response).write("data: 0\n\n");
    });
    expect(await gather(caller(server.origin, { timeout: 500 }).stream(...chat))).toMatchObject({
      received: ["0"],
      error: { name: "StreamTruncated", message: "the response was cut off: no response within 0.5 s" },
    });
  });

  test("times out if it sends only comments after an event", async () => {
    let comments = 0;
    const server = await listen((_request, response) => {
      events(response).write("data: 0\n\n");
      const timer = setInterval(() => {
        comments += 1;
        if (comments === 100) response.end();
        else response.write(": keep alive\n\n");
      }, 20);
      response.on("close", () => clearInterval(timer));
    });
    expect(await gather(caller(server.origin, { timeout: 200 }).stream(...chat))).toMatchObject({
      received: ["0"],
      error: { name: "StreamTruncated", message: "the response was cut off: no response within 0.2 s" },
    });
  });

  test("that is interrupted keeps the partial output, and is not reported as truncated", async () => {
    const controller = new AbortController();
    const server = await listen((_request, response) => {
      events(response).write("data: 0\n\n");
    });
    const { stream } = caller(server.origin, { signal: controller.signal });
    expect(await gather(stream(...chat), () => controller.abort(new Interrupted()))).toMatchObject({
      received: ["0"],
      error: { name: "Interrupted" },
    });
  });

  test("ends on a timeout or an interruption even if `fetch` cannot be aborted", async () => {
    const fetch: Fetch = async () => ({
      status: 200,
      headers: new Headers({ "content-type": "text/event-stream" }),
      body: stallingBody(),
    });
    const stalled = caller("http://localhost", { fetch, timeout: 40 });
    expect(await gather(stalled.stream(...chat))).toMatchObject({
      received: ["0"],
      error: { name: "StreamTruncated" },
    });
    const controller = new AbortController();
    const interrupted = caller("http://localhost", { fetch, signal: controller.signal });
    expect(
      await gather(interrupted.stream(...chat), () => controller.abort(new Interrupted())),
    ).toMatchObject({
      received: ["0"],
      error: { name: "Interrupted" },
    });
  });

  test("closes the connection if the caller stops reading", async () => {
    let closed = () => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await listen((_request, response) => {
      response.on("close", closed);
      events(response).write("data: 0\n\ndata: 1\n\n");
    });
    for await (const { data } of await caller(server.origin).stream(...chat)) {
      expect(data).toBe("0");
      break;
    }
    await closing;
  });
});
