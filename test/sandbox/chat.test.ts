import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../../src/sandbox/index.ts";
import { openSandbox } from "./harness.ts";

const messages = [{ role: "user" as const, content: "Say this back, please" }];
const echo = { model: "sandbox-echo", messages };

/** A third-party client, pointed at a served sandbox. */
async function client() {
  const sandbox = await openSandbox();
  const { url, close } = await serve(sandbox, { host: "127.0.0.1", port: 0 });
  onTestFinished(close);
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: sandbox.keys.full, maxRetries: 0 });
}

test("a third-party client gets a complete response", async () => {
  const openai = await client();
  const completion = await openai.chat.completions.create(echo);
  expect(completion).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-/),
    object: "chat.completion",
    created: expect.any(Number),
    model: "sandbox-echo",
    choices: [{ index: 0, message: { role: "assistant" }, finish_reason: "stop" }],
  });
  expect(completion.choices[0]?.message.content).toContain("Say this back, please");
  expect(completion.usage?.total_tokens).toBe(
    Number(completion.usage?.prompt_tokens) + Number(completion.usage?.completion_tokens),
  );
});

test("a third-party client gets the same response as a stream, with the usage if requested", async () => {
  const openai = await client();
  const whole = await openai.chat.completions.create(echo);
  const stream = await openai.chat.completions.create({
    ...echo,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: "assistant" });
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  expect(text).toBe(whole.choices[0]?.message.content);
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
});

test("other work goes on while a long response is streamed to a client that reads it quickly", async () => {
  const sandbox = await openSandbox();
  const content = "word ".repeat(2_000);
  const response = await sandbox.call("createChatCompletion", {
    model: "sandbox-echo",
    messages: [{ role: "user", content }],
    stream: true,
  });
  let turns = 0;
  let isRead = false;
  const count = () => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  const text = await response.text();
  isRead = true;
  expect(text).toContain("[DONE]");
  expect(turns).toBeGreaterThan(20);
});

test("a stream without usage ends with the finish reason and [DONE]", async () => {
  const sandbox = await openSandbox();
  const response = await sandbox.call("createChatCompletion", { ...echo, stream: true });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const events = (await response.text()).trim().split("\n\n");
  expect(events.at(-1)).toBe("data: [DONE]");
  expect(events.at(-2)).toContain('"finish_reason":"stop"');
  expect(events.join()).not.toContain("usage");
});

test("a reply is cut off at max_tokens, and its finish reason says so", async () => {
  const openai = await client();
  const completion = await openai.chat.completions.create({ ...echo, max_tokens: 1 });
  expect(completion.choices[0]?.finish_reason).toBe("length");
  expect(completion.usage?.completion_tokens).toBe(1);
});

test("a third-party client reads the message, type, field and code of an error", async () => {
  const openai = await client();
  const part = { type: "text" } as OpenAI.ChatCompletionContentPartText;
  const wrong = openai.chat.completions.create({ ...echo, messages: [{ role: "user", content: [part] }] });
  await expect(wrong).rejects.toMatchObject({
    status: 400,
    message: "400 Invalid input data: messages.0.content.0.text is required",
    type: "invalid_request_error",
    param: "messages.0.content.0.text",
    code: "BAD_REQUEST",
  });
  const denied = openai.withOptions({ apiKey: "wrong" }).models.list();
  await expect(denied).rejects.toMatchObject({
    name: "Error",
    status: 401,
    message: "401 Authorization not provided",
    type: "authentication_error",
    code: "UNAUTHORIZED",
  });
});

test.each([
  [{ model: "gpt-4" }, "model", "must be sandbox-echo, the sandbox's chat model"],
  [{ messages: [] }, "messages", "must have at least 1 item"],
  [{ max_tokens: 0 }, "max_tokens", "must be at least 1"],
  [{ stream: "yes" }, "stream", "must be a boolean"],
  [{ stream_options: 1 }, "stream_options", "must be an object"],
  [{ n: 2 }, "n", "must be 1"],
  [{ stop: 1 }, "stop", "must be a string or must be an array"],
  [{ max_completion_tokens: 0 }, "max_completion_tokens", "must be at least 1"],
])("%j is rejected", async (change, field, message) => {
  const sandbox = await openSandbox();
  const issues = await sandbox.issuesOf("createChatCompletion", { ...echo, ...change });
  expect(issues).toEqual([{ path: [field], message }]);
});
