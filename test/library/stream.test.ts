import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import {
  type CompletionChunk,
  InvalidInput,
  ServiceError,
  StreamTruncated,
} from "../../src/library/client.ts";
import { listen } from "../client/server.ts";
import { clientOf, openSandbox } from "./harness.ts";

const question = { model: "sandbox-echo", messages: [{ role: "user", content: "one two three" }] };

/** The texts of a stream's chunks, without empty ones. */
async function textsOf(chunks: AsyncIterable<{ readonly text: string }>): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { text } of chunks) if (text !== "") texts.push(text);
  return texts;
}

const event = (response: ServerResponse, data: unknown) =>
  response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
const chunk = (content: string, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
});

describe("a streamed reply", () => {
  test.each([
    ["in this process", false],
    ["over HTTP", true],
  ])("has the sandbox's text if the sandbox is called %s", async (_name, serve) => {
    const { sandbox, client } = await openSandbox({ serve });
    const own = serve ? clientOf(sandbox.url, { apiKey: sandbox.keys.full }) : client;
    const texts = await textsOf(own.stream("createChatCompletion", question));
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join("")).toContain("one two three");
  });

  test("reports the finish reason, the tokens if requested, and each event", async () => {
    const { client } = await openSandbox();
    const input = { ...question, max_tokens: 1, stream_options: { include_usage: true } };
    const all: CompletionChunk[] = [];
    for await (const received of client.stream("createChatCompletion", input)) all.push(received);
    expect(all.map(({ finish }) => finish).filter(Boolean)).toEqual(["length"]);
    expect(all.at(-1)?.usage).toMatchObject({ completion_tokens: 1 });
    expect(all[0]?.body).toMatchObject({ object: "chat.completion.chunk" });
  });

  test("is one chunk if the service does not stream", async () => {
    const whole = { choices: [{ message: { content: "all of it" }, finish_reason: "stop" }] };
    const server = await listen((_request, response) => {
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(whole));
    });
    expect(await textsOf(clientOf(server.origin).stream("createChatCompletion", question))).toEqual([
      "all of it",
    ]);
    expect(JSON.parse(server.seen[0]?.body ?? "")).toEqual({ ...question, stream: true });
  });

  test.each([
    ["the connection breaks", (response: ServerResponse) => void response.destroy()],
    ["it ends too early", (response: ServerResponse) => void response.end()],
    [
      "the service reports a failure",
      (response: ServerResponse) => {
        event(response, { error: { message: "out of memory" } });
        response.end();
      },
    ],
  ])("keeps the partial output and throws StreamTruncated when %s", async (_name, end) => {
    const server = await listen((_request, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      event(response, chunk("first"));
      setImmediate(end, response);
    });
    const chunks = clientOf(server.origin).stream("createChatCompletion", question);
    expect((await chunks.next()).value).toMatchObject({ text: "first" });
    const rest = async () => {
      for await (const { text } of chunks) expect(text).toBe("");
    };
    await expect(rest()).rejects.toThrow(StreamTruncated);
    expect(server.seen).toHaveLength(1);
  });

  test("is closed when the program stops reading early", async () => {
    let left: Promise<unknown> | undefined;
    const server = await listen((_request, response) => {
      left = once(response, "close");
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      for (let count = 0; count < 3; count += 1) event(response, chunk("word "));
    });
    for await (const { text } of clientOf(server.origin).stream("createChatCompletion", question)) {
      expect(text).toBe("word ");
      break;
    }
    await left;
  });

  test("rejects with the reason of its signal", async () => {
    const controller = new AbortController();
    const server = await listen((_request, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      event(response, chunk("first"));
    });
    const options = { signal: controller.signal };
    const chunks = clientOf(server.origin).stream("createChatCompletion", question, options);
    await chunks.next();
    controller.abort(new Error("enough"));
    await expect(chunks.next()).rejects.toThrow("enough");
  });
});

test("a stream throws InvalidInput and ServiceError, like every other call", async () => {
  const { client } = await openSandbox();
  const bad = client.stream("createChatCompletion", { ...question, max_tokens: 1.5 });
  await expect(bad.next()).rejects.toThrow(InvalidInput);
  const unknown = client.stream("createChatCompletion", { ...question, model: "m" });
  await expect(unknown.next()).rejects.toThrow(ServiceError);
});

test("a stream that is aborted before its first chunk sends nothing", async () => {
  const server = await listen((_request, response) => response.end());
  const options = { signal: AbortSignal.abort() };
  const chunks = clientOf(server.origin).stream("createChatCompletion", question, options);
  await expect(chunks.next()).rejects.toMatchObject({ name: "AbortError" });
  expect(server.seen).toEqual([]);
});
