import { streamSSE } from "hono/streaming";
import * as z from "zod";
import type { Issue } from "../../contract/check.ts";
import type { CheckedInputOf } from "../../contract/index.ts";
import { sandboxChatModel } from "../../contract/sandbox.ts";
import { secondMs } from "../clock.ts";
import { issue, refuse } from "../refusal.ts";
import { count } from "../tables/counters.ts";
import type { Call, Handlers } from "./handler.ts";

type Input = CheckedInputOf<"createChatCompletion">;

/** What the common chat-completions format has beyond the documented fields, as far as the sandbox heeds it. */
const streaming = z.object({
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

/** Answers in the common chat-completions format: whole, or as server-sent events when `stream` is set. */
async function createChatCompletion(input: Input, { http, now, store }: Call) {
  refuse(...beyondLimits(input));
  const { stream, stream_options } = streaming.parse(input);
  const { echo } = await import("../engines/index.ts");
  const { tokens, finishReason, usage } = echo(input.messages, input.max_tokens);
  const common = {
    id: `chatcmpl-${store.write(() => count(store, "chat"))}`,
    created: Math.floor(now / secondMs),
    model: sandboxChatModel,
  };
  if (!stream) {
    const message = { role: "assistant", content: tokens.join("") };
    const choices = [{ index: 0, message, finish_reason: finishReason }];
    return { ...common, object: "chat.completion", choices, usage };
  }
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...common,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    ...tokens.map((content) => chunk({ content })),
    chunk({}, finishReason),
    ...(stream_options?.include_usage ? [{ ...chunk({}), choices: [], usage }] : []),
  ];
  return streamSSE(http, async (events) => {
    for (const data of [...chunks.map((part) => JSON.stringify(part)), "[DONE]"]) {
      await events.writeSSE({ data });
    }
  });
}

function beyondLimits(input: Input): Issue[] {
  const wrong: Issue[] = [];
  if (input.model !== sandboxChatModel)
    wrong.push(issue("model", `must be ${sandboxChatModel}, the sandbox's chat model`));
  if (input.messages.length === 0) wrong.push(issue("messages", "must have at least 1 item"));
  if (input.max_tokens !== undefined && input.max_tokens < 1) {
    wrong.push(issue("max_tokens", "must be at least 1"));
  }
  const stream = streaming.safeParse(input);
  const unreadable = stream.error?.issues.map(({ path }) => String(path[0])) ?? [];
  return [...wrong, ...unreadable.map((field) => issue(field, "has the wrong type"))];
}

export const chat = { createChatCompletion } satisfies Partial<Handlers>;
