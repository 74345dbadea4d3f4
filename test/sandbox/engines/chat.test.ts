import { expect, test } from "vitest";
import { echo } from "../../../src/sandbox/engines/chat.ts";
import { anyCharacter, fc } from "../../support/property.ts";

const text = fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.lorem());
const message = fc.record({ role: fc.constantFrom("system", "user", "assistant"), content: text });
const tokenLimit = fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined });

test("the model repeats the last user message", () => {
  const messages = [
    { role: "user", content: "first" },
    { role: "user", content: "hello there" },
    { role: "assistant", content: "sandbox-echo heard: hello there" },
  ];
  expect(echo(messages)).toEqual({
    tokens: ["sandbox-echo", " heard:", " hello", " there"],
    finishReason: "stop",
    usage: { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 },
  });
});

test("the model's reply says so if there is no user message", () => {
  expect(echo([{ role: "system", content: "Be brief." }]).tokens.join("")).toBe(
    "sandbox-echo heard no user message.",
  );
  expect(echo([]).usage.prompt_tokens).toBe(0);
});

test("a reply is cut off at the maximum number of tokens, and its finish reason says so", () => {
  const messages = [{ role: "user", content: "one two three" }];
  expect(echo(messages, { maxTokens: 3 })).toMatchObject({
    tokens: ["sandbox-echo", " heard:", " one"],
    finishReason: "length",
  });
  expect(echo(messages, { maxTokens: 5 })).toMatchObject({
    finishReason: "stop",
    usage: { completion_tokens: 5 },
  });
});

test("the tokens add up to the reply, or to its beginning if the reply is cut off, and all of them are counted", () => {
  fc.assert(
    fc.property(fc.array(message), tokenLimit, (messages, maxTokens) => {
      const whole = echo(messages);
      const lastUserMessage = messages.findLast(({ role }) => role === "user");
      if (lastUserMessage)
        expect(whole.tokens.join("")).toBe(`sandbox-echo heard: ${lastUserMessage.content}`);
      const { tokens, finishReason, usage } = echo(messages, { maxTokens });
      expect(tokens).toEqual(whole.tokens.slice(0, maxTokens));
      expect(finishReason).toBe(tokens.length < whole.tokens.length ? "length" : "stop");
      expect(usage.completion_tokens).toBe(tokens.length);
      expect(usage.total_tokens).toBe(usage.prompt_tokens + tokens.length);
      expect(tokens.every((token) => token.length > 0)).toBe(true);
    }),
  );
});

test.each([
  [["three", "two"], "sandbox-echo heard: one "],
  [["heard"], "sandbox-echo "],
  [["s"], ""],
  [["nowhere"], "sandbox-echo heard: one two three"],
])("a reply ends before the first stop sequence in it, if there is one: %j", (stop, reply) => {
  const { tokens, finishReason, usage } = echo([{ role: "user", content: "one two three" }], { stop });
  expect([tokens.join(""), finishReason]).toEqual([reply, "stop"]);
  expect(usage.completion_tokens).toBe(tokens.length);
});
