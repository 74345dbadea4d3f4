import { streamSSE } from "hono/streaming";
import * as z from "zod";
import { check } from "../../contract/check/check.ts";
import type { CheckedInputOf } from "../../contract/index.ts";
import { sandboxChatModel } from "../../core/sandbox.ts";
import { secondMs } from "../clock.ts";
import { issueIf, throwIfInvalid } from "../errors.ts";
import { findEngine } from "../tables/engines.ts";
import { increment } from "../tables/numbers.ts";
import type { Call, Handlers } from "./handler.ts";

type Input = CheckedInputOf<"createChatCompletion">;

/** Undocumented fields of the common chat-completions format that the sandbox supports. */
const extensions = z.object({
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1))]).nullish(),
  n: z.literal(1).nullish(),
});

/** Responds in the common chat-completions format, with server-sent events when `stream` is set. */
async function createChatCompletion(input: Input, { http, now, store, environment }: Call) {
  const engine = findEngine(store, "chat");
  if (engine !== undefined) {
    const { passOnChat } = await import("../engines/remote/chat.ts");
    return passOnChat(http, { engine, environment, signal: http.req.raw.signal });
  }
  const { stream, stream_options, max_completion_tokens, stop } = extensionsOf(input);
  const { echo } = await import("../engines/chat.ts");
  const { tokens, finishReason, usage } = echo(input.messages, {
    maxTokens: input.max_tokens ?? max_completion_tokens ?? undefined,
    stop: [stop ?? []].flat(),
  });
  const common = {
    id: `chatcmpl-${store.write(() => increment(store, "chat"))}`,
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

/** The supported undocumented fields of an input. @throws ApiError when the input is outside the sandbox's own limits */
function extensionsOf(input: Input): z.output<typeof extensions> {
  const { model, messages, max_tokens } = input;
  const checked = check({ input: extensions }, input);
  throwIfInvalid(
    ...issueIf(model !== sandboxChatModel, "model", `must be ${sandboxChatModel}, the sandbox's chat model`),
    ...issueIf(messages.length === 0, "messages", "must have at least 1 item"),
    ...issueIf(max_tokens != null && max_tokens < 1, "max_tokens", "must be at least 1"),
    ...(checked.ok ? [] : checked.issues),
  );
  return extensions.parse(input);
}

export const chat = { createChatCompletion } satisfies Partial<Handlers>;
