import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { expect, test } from "vitest";
import * as z from "zod";
import type { ChatReply } from "../../src/library/sandbox.ts";
import { openSandbox } from "./harness.ts";

const png = "data:image/png;base64,iVBORw0KGgo=";
const city = z.object({ name: z.string(), population: z.int() });
const oslo = { name: "Oslo", population: 717_710 };

/** Third-party clients of a sandbox, and the bodies of their requests. `replies` are the sandbox's chat script. */
async function openClients(replies: readonly ChatReply[] = []) {
  const { sandbox } = await openSandbox();
  if (replies.length > 0) sandbox.chatScript.set(replies);
  const bodies: Record<string, unknown>[] = [];
  const fetch: typeof globalThis.fetch = async (to, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    return sandbox.fetch(to instanceof Request ? to : String(to), init);
  };
  const baseURL = `${sandbox.url}/v1`;
  const apiKey = sandbox.keys.full;
  const provider = createOpenAICompatible({
    name: "sandbox",
    baseURL,
    apiKey,
    fetch,
    supportsStructuredOutputs: true,
    includeUsage: true,
  });
  return {
    sandbox,
    bodies,
    openai: new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 }),
    model: provider("any"),
  };
}

const weatherCall: ChatReply = {
  when: { message: "weather" },
  toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }],
};
const weatherText: ChatReply = { when: { toolResult: "21" }, text: "It is 21 C in Oslo." };

test("openai runs a tool and sends its result", async () => {
  const { openai, bodies } = await openClients([weatherCall, weatherText]);
  const asked: unknown[] = [];
  const runner = openai.chat.completions.runTools({
    model: "any",
    tool_choice: "auto",
    messages: [{ role: "user", content: "How is the weather?" }],
    tools: [
      {
        type: "function",
        function: {
          name: "weather",
          description: "The weather",
          parameters: { type: "object", properties: { city: { type: "string" } } },
          parse: JSON.parse,
          function: async (args: unknown) => {
            asked.push(args);
            return "21 C";
          },
        },
      },
    ],
  });
  expect(await runner.finalContent()).toBe("It is 21 C in Oslo.");
  expect(asked).toEqual([{ city: "Oslo" }]);
  expect(bodies).toHaveLength(2);
  expect(bodies[1]?.messages).toMatchObject([
    { role: "user" },
    { role: "assistant", content: null, tool_calls: [{ id: "call_0_0" }] },
    { role: "tool", tool_call_id: "call_0_0", content: "21 C" },
  ]);
});

test("openai gathers a streamed tool call, and parses structured output", async () => {
  const { openai, bodies } = await openClients([weatherCall, { json: oslo }]);
  const messages = [{ role: "user" as const, content: "How is the weather?" }];
  const stream = openai.chat.completions.stream({
    model: "any",
    messages,
    temperature: null,
    max_tokens: null,
    stream_options: { include_usage: true },
  });
  const { choices, usage } = await stream.finalChatCompletion();
  expect(choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: { tool_calls: [{ function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
  });
  expect(usage?.total_tokens).toBeGreaterThan(0);
  const parsed = await openai.chat.completions.parse({
    model: "any",
    messages: [{ role: "user", content: "A city" }],
    response_format: zodResponseFormat(city, "city"),
  });
  expect(parsed.choices[0]?.message.parsed).toEqual(oslo);
  expect(bodies[1]).toMatchObject({
    response_format: { type: "json_schema", json_schema: { name: "city" } },
  });
});

test("openai sends pictures as parts of a message", async () => {
  const { openai } = await openClients();
  const completion = await openai.chat.completions.create({
    model: "sandbox-echo",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: png } },
        ],
      },
    ],
  });
  expect(completion.choices[0]?.message.content).toBe("sandbox-echo heard: What is this?\n[image/png]");
});

test("openai reads errors, also in the middle of a stream", async () => {
  const error = { status: 429, message: "Slow down", code: "rate_limited", param: "model" };
  const { sandbox, openai } = await openClients([
    { error },
    { text: "Half an", streamError: { message: "Out of memory", code: "oom" } },
    { text: "Half an", streamError: { message: "Out of memory", form: "event" } },
  ]);
  const request = { model: "any", messages: [{ role: "user" as const, content: "Hi" }] };
  const create = () => openai.chat.completions.create(request);
  await expect(create()).rejects.toMatchObject({
    status: 429,
    message: "429 Slow down",
    type: "rate_limit_error",
    code: "rate_limited",
    param: "model",
  });
  for (const code of ["oom", null]) {
    const chunks: string[] = [];
    const read = async () => {
      for await (const { choices } of await openai.chat.completions.create({ ...request, stream: true }))
        chunks.push(choices[0]?.delta.content ?? "");
    };
    await expect(read()).rejects.toMatchObject({
      name: "Error",
      message: expect.stringContaining("Out of memory"),
      code,
      type: "server_error",
    });
    expect(chunks.join("")).toBe("Half an");
  }
  await expect(create()).rejects.toThrow("400 Invalid input data: every reply in the chat script is used up");
  sandbox.fault({ operation: "createChatCompletion", status: 503 });
  await expect(create()).rejects.toMatchObject({
    status: 503,
    message: "503 Service unavailable",
    type: "server_error",
    code: "SERVICE_UNAVAILABLE",
  });
});

const tools = {
  weather: tool({
    description: "The weather",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city: where }) => `21 C in ${where}`,
  }),
};

test("the AI SDK runs a tool and sends its result, with and without streaming", async () => {
  const { model, bodies } = await openClients([weatherCall, weatherText]);
  const asked = { model, tools, stopWhen: stepCountIs(3), prompt: "How is the weather?" };
  const { text, steps, finishReason } = await generateText(asked);
  expect({ text, finishReason }).toEqual({ text: "It is 21 C in Oslo.", finishReason: "stop" });
  expect(steps.map((step) => step.toolResults.map(({ output }) => output))).toEqual([["21 C in Oslo"], []]);
  expect(bodies[1]?.messages).toMatchObject([{}, { role: "assistant", tool_calls: [{}] }, { role: "tool" }]);
  const streamed = streamText(asked);
  expect(await streamed.text).toBe("It is 21 C in Oslo.");
  expect((await streamed.totalUsage).outputTokens).toBeGreaterThan(0);
});

test("the AI SDK generates an object that matches a schema", async () => {
  const { model, bodies } = await openClients([{ json: oslo }, { text: "Oslo" }]);
  const { object } = await generateObject({ model, schema: city, prompt: "A city" });
  expect(object).toEqual(oslo);
  expect(bodies[0]).toMatchObject({ response_format: { type: "json_schema" } });
  const wrong = generateObject({ model, schema: city, prompt: "A city" });
  await expect(wrong).rejects.toThrow("No object generated");
});

test("the AI SDK sends pictures as parts of a message", async () => {
  const { model, bodies } = await openClients([{ when: { message: "[image/png]" }, text: "A lighthouse" }]);
  const content = [
    { type: "text" as const, text: "What is this?" },
    { type: "image" as const, image: png },
  ];
  const { text } = await generateText({ model, messages: [{ role: "user", content }] });
  expect(text).toBe("A lighthouse");
  expect(bodies[0]?.messages).toMatchObject([{ content: [{ type: "text" }, { type: "image_url" }] }]);
});

test("the AI SDK reads errors, also in the middle of a stream", async () => {
  const { model } = await openClients([
    { error: { status: 400, message: "No such tool", code: "unknown_tool" } },
    { text: "Half an", streamError: { message: "Out of memory" } },
  ]);
  const refused = generateText({ model, prompt: "Hi", maxRetries: 0 });
  await expect(refused).rejects.toMatchObject({
    name: "AI_APICallError",
    statusCode: 400,
    message: "No such tool",
    data: { error: { code: "unknown_tool", type: "invalid_request_error" } },
  });
  const errors: unknown[] = [];
  const stream = streamText({
    model,
    prompt: "Hi",
    maxRetries: 0,
    onError: ({ error }) => void errors.push(error),
  });
  let text = "";
  for await (const part of stream.textStream) text += part;
  expect(text).toBe("Half an");
  expect(JSON.stringify(errors)).toContain("Out of memory");
});
