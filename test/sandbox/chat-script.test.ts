import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { openSandbox } from "./harness.ts";

/** Collects the signal of each wait that starts after this call. */
function watchWaits(): readonly (AbortSignal | undefined)[] {
  const signals: (AbortSignal | undefined)[] = [];
  const { setTimeout } = timers;
  const spy = vi.spyOn(timers, "setTimeout").mockImplementation((ms, value, options) => {
    signals.push(options?.signal);
    return setTimeout(ms, value, options);
  });
  // Without this, modules that are already loaded would still use the original function.
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return signals;
}

type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

const ask = (sandbox: Sandbox, content = "Hi", more: object = {}) =>
  sandbox.call("createChatCompletion", { model: "any", messages: [{ role: "user", content }], ...more });

/** The text of the reply to a message, or the status of the response if it is not 200. */
async function reply(sandbox: Sandbox, content?: string, more?: object): Promise<unknown> {
  const response = await ask(sandbox, content, more);
  const body = Object(await response.json());
  return response.status === 200 ? body.choices[0].message.content : response.status;
}

/** The data of each event of a streamed reply, parsed if it is JSON. An event with a name becomes `{ name, value }`. */
async function events(sandbox: Sandbox, more: object = {}): Promise<readonly unknown[]> {
  const response = await ask(sandbox, "Hi", { stream: true, ...more });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const text = await response.text();
  return text
    .trim()
    .split("\n\n")
    .map((event) => {
      const data = /^data: (.*)$/m.exec(event)?.[1] ?? "";
      const name = /^event: (.*)$/m.exec(event)?.[1];
      const value = data.startsWith("{") ? JSON.parse(data) : data;
      return name === undefined ? value : { name, value };
    });
}

const textOf = (all: readonly unknown[]): string =>
  all.map((one) => Object(one).choices?.[0]?.delta?.content ?? "").join("");

test("replies are sent in order, each as often as the script says, and then requests are refused", async () => {
  const sandbox = await openSandbox();
  sandbox.chatScript.set([{ text: "One" }, { json: { two: 2 }, times: 2 }]);
  expect([await reply(sandbox), await reply(sandbox), await reply(sandbox)]).toEqual([
    "One",
    '{"two":2}',
    '{"two":2}',
  ]);
  const response = await ask(sandbox);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    issues: [{ path: [], message: expect.stringContaining("every reply in the chat script is used up") }],
    error: { message: expect.stringContaining("used up") },
  });
  expect(sandbox.chatScript.show()).toMatchObject([
    { index: 0, times: 1, used: 1 },
    { index: 1, times: 2, used: 2 },
  ]);
});

test("a reply can be limited to certain messages, models and tool results", async () => {
  const sandbox = await openSandbox();
  sandbox.chatScript.set([
    { when: { message: "weather", model: "small" }, text: "too small" },
    { when: { message: { pattern: "^weather\\b", flags: "i" } }, toolCalls: [{ name: "weather" }] },
    { when: { toolResult: "21" }, text: "It is warm" },
  ]);
  expect(await reply(sandbox, "the weather?", { model: "small" })).toBe("too small");
  const asked = { role: "user", content: [{ type: "text", text: "Weather in Oslo" }] };
  const first = Object(await (await ask(sandbox, "", { messages: [asked] })).json());
  expect(first.choices).toMatchObject([
    {
      message: { content: null, tool_calls: [{ function: { name: "weather" } }] },
      finish_reason: "tool_calls",
    },
  ]);
  const turns = (result: string) => [
    asked,
    first.choices[0].message,
    { role: "tool", tool_call_id: first.choices[0].message.tool_calls[0].id, content: result },
  ];
  expect(await reply(sandbox, "", { messages: turns("21 C") })).toBe("It is warm");
  const unmatched = await ask(sandbox, "", { messages: turns("unknown") });
  expect(await unmatched.json()).toMatchObject({
    code: "BAD_REQUEST",
    issues: [{ message: "no reply in the chat script matches this request" }],
  });
});

test("a reply is streamed in the common chat-completions format, with the finish reason and usage of the script", async () => {
  const sandbox = await openSandbox();
  const args = { city: "São Paulo", days: [1, 2, 3] };
  sandbox.chatScript.set([
    { text: "one two ", reasoning: "Let me see", finishReason: null, usage: { total_tokens: 7 } },
    {
      text: "Calling",
      toolCalls: [
        { name: "a", arguments: args, id: "x" },
        { name: "b", arguments: "{brok" },
      ],
    },
  ]);
  const first = await events(sandbox, { stream_options: { include_usage: true } });
  expect(textOf(first)).toBe("one two ");
  expect(first.map((one) => Object(one).choices?.[0]?.delta?.reasoning_content ?? "").join("")).toBe(
    "Let me see",
  );
  expect(first.at(-3)).toMatchObject({ choices: [{ delta: {}, finish_reason: null }] });
  expect(first.slice(-2)).toMatchObject([{ choices: [], usage: { total_tokens: 7 } }, "[DONE]"]);
  const second = await events(sandbox);
  const calls = second.flatMap((one) => Object(one).choices?.[0]?.delta?.tool_calls ?? []);
  const named = calls.filter(({ id }) => id !== undefined);
  expect(named.map(({ index, id, function: { name } }) => [index, id, name])).toEqual([
    [0, "x", "a"],
    [1, "call_1_1", "b"],
  ]);
  const joined = [0, 1].map((at) =>
    calls.map((call) => (call.index === at ? call.function.arguments : "")).join(""),
  );
  expect(joined).toEqual([JSON.stringify(args), "{brok"]);
  expect(second.at(-2)).toMatchObject({ choices: [{ finish_reason: "tool_calls" }] });
});

test.each([
  ["chunk", { error: { message: "no memory", type: "overloaded", param: null, code: 507 } }],
  [
    "event",
    { name: "error", value: { error: { message: "no memory", type: "overloaded", param: null, code: 507 } } },
  ],
  ["text", 'no memory {"error":{"message":"no memory","type":"overloaded","param":null,"code":507}}'],
] as const)("a stream can end with an error in the form %s", async (form, last) => {
  const sandbox = await openSandbox();
  const streamError = { message: "no memory", type: "overloaded", code: 507, form };
  sandbox.chatScript.set([
    { text: "Half an", streamError },
    { text: "Half an", streamError },
  ]);
  const all = await events(sandbox);
  expect(textOf(all)).toBe("Half an");
  expect(all.at(-1)).toEqual(last);
  expect(JSON.stringify(all)).not.toMatch(/DONE|"finish_reason":"/);
  const whole = await ask(sandbox);
  expect(whole.status).toBe(500);
  expect(await whole.json()).toMatchObject({
    error: { message: "no memory", type: "overloaded", code: 507 },
  });
});

test("a response can be cut off", async () => {
  const sandbox = await openSandbox();
  sandbox.chatScript.set([{ text: "Half an", cut: true, times: 2 }]);
  const all = await events(sandbox);
  expect(textOf(all)).toBe("Half an");
  expect(JSON.stringify(all)).not.toMatch(/DONE|"finish_reason":"/);
  await expect((await ask(sandbox)).json()).rejects.toThrow(SyntaxError);
});

test("a reply can be an error response", async () => {
  const sandbox = await openSandbox();
  sandbox.chatScript.set([
    { error: { status: 429, message: "Slow down", code: "rate_limited", param: "model" } },
    { error: { retryAfterSeconds: 3 } },
  ]);
  const limited = await ask(sandbox, "Hi", { stream: true });
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(await limited.json()).toEqual({
    code: "TOO_MANY_REQUESTS",
    message: "Slow down",
    issues: [],
    error: { message: "Slow down", type: "rate_limit_error", param: "model", code: "rate_limited" },
  });
  const failed = await ask(sandbox);
  expect([failed.status, failed.headers.get("retry-after")]).toEqual([500, "3"]);
  expect(failed.headers.get("gpuctl-sandbox-reply")).toBe("1");
  expect(sandbox.requests.list({ limit: 2 }).map(({ code }) => code)).toEqual([
    "TOO_MANY_REQUESTS",
    "INTERNAL_SERVER_ERROR",
  ]);
});

test("tokens take the time that a reply specifies, even while the sandbox's clock is frozen", async () => {
  const sandbox = await openSandbox();
  sandbox.clock.freeze();
  const slow = { text: "a b c", firstTokenMs: 60, betweenTokensMs: 20 };
  sandbox.chatScript.set([slow, slow]);
  const before = performance.now();
  const body = (await ask(sandbox, "Hi", { stream: true })).body?.getReader();
  await body?.read();
  const first = performance.now() - before;
  while (!(await body?.read())?.done);
  expect(first).toBeGreaterThan(50);
  expect(performance.now() - before).toBeGreaterThan(90);
  const again = performance.now();
  await reply(sandbox);
  expect(performance.now() - again).toBeGreaterThan(90);
});

test("a slow stream ends when its client disconnects", async () => {
  const waits = watchWaits();
  const sandbox = await openSandbox();
  sandbox.chatScript.set([{ text: "a b", betweenTokensMs: 3_600_000 }, { text: "next" }]);
  const reader = (await ask(sandbox, "Hi", { stream: true })).body?.getReader();
  for (let read = 0; read < 2; read += 1) await reader?.read();
  await expect.poll(() => waits.at(-1)?.aborted, { timeout: 60_000 }).toBe(false);
  await reader?.cancel();
  expect(waits.at(-1)?.aborted).toBe(true);
  expect(await reply(sandbox)).toBe("next");
});

test("a pattern that takes too long to match causes an error that names the pattern", async () => {
  const sandbox = await openSandbox();
  sandbox.chatScript.set([{ when: { message: { pattern: "^(a+)+$" } }, text: "Only a" }]);
  const response = await ask(sandbox, `${"a".repeat(60)}!`);
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("matching the message against /^(a+)+$/ takes too long");
  expect(await reply(sandbox, "aaa")).toBe("Only a");
});

test("a script is part of the state: it survives in snapshots, and a reset removes it", async () => {
  const sandbox = await openSandbox();
  sandbox.chatScript.set([{ text: "One" }, { text: "Two" }]);
  await reply(sandbox);
  const snapshot = JSON.stringify(sandbox.snapshot());
  sandbox.reset();
  expect(sandbox.chatScript.show()).toEqual([]);
  expect(await reply(sandbox, "Hi", { model: "sandbox-echo" })).toBe("sandbox-echo heard: Hi");
  sandbox.restore(snapshot);
  expect(await reply(sandbox)).toBe("Two");
  expect(sandbox.chatScript.clear()).toBe(2);
  expect(await reply(sandbox, "Hi", { model: "sandbox-echo" })).toBe("sandbox-echo heard: Hi");
});

test.each([
  ['[{"text": "a"}, {"text": "b"}]', ["a", "b"]],
  ['{"text": "a"}\r\n\r\n  {"text": "b"}  \n', ["a", "b"]],
  ["- text: a\n- json: [b]\n", ["a", '["b"]']],
  ['{\n  "text": "a",\n  "times": 2\n}\n', ["a", "a"]],
])("a script can be JSON, JSON Lines or YAML: %j", async (text, texts) => {
  const sandbox = await openSandbox();
  await sandbox.chatScript.load(text);
  expect([await reply(sandbox), await reply(sandbox)]).toEqual(texts);
});

test.each([
  ["", "the chat script is empty"],
  ["[", "the chat script is not valid YAML or JSON"],
  ["text: a", "replies must be an array"],
  ["[]", "replies must have at least 1 item"],
  ['[{"text": "a"},\n {"text": 1}]', "replies.1.text must be a string (line 2)"],
  ['{"text": "a"}\n{"text": "b", "cut": 1}', "replies.1.cut must be a boolean (line 2)"],
  ["- txt: a\n  text: b", "replies.0.txt is not a field of a reply (line 1)"],
  ["- times: 1", "replies.0.text or one of these fields is required: json, "],
  ["- {text: a, json: 1}", "replies.0.json cannot be combined with text"],
  ["- {text: a, error: {}}", "replies.0.error cannot be combined with text"],
  ["- {error: {}, firstTokenMs: 1}", "replies.0.error cannot be combined with firstTokenMs"],
  ["- {error: {status: 200}}", "replies.0.error.status must be at least 400"],
  ["- {text: a, cut: true, streamError: {}}", "replies.0.cut cannot be combined with streamError"],
  ["- {text: a, streamError: {form: loud}}", "replies.0.streamError.form must be one of chunk, event, text"],
  ["- {text: a, times: 0}", "replies.0.times must be at least 1"],
  [
    '- {text: a, when: {message: {pattern: "("}}}',
    "replies.0.when.message.pattern must be a regular expression",
  ],
  ["- {toolCalls: [{arguments: {}}]}", "replies.0.toolCalls.0.name is required"],
])("the script %j is rejected, and the previous script stays in place", async (text, message) => {
  const sandbox = await openSandbox();
  sandbox.chatScript.set([{ text: "before" }]);
  await expect(sandbox.chatScript.load(text)).rejects.toThrow(message);
  expect(await reply(sandbox)).toBe("before");
});
