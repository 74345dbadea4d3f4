import * as z from "zod";
import { check } from "../../contract/check/check.ts";
import type { CheckedInputOf } from "../../contract/index.ts";
import { sandboxChatModel } from "../../core/sandbox.ts";
import { scriptedResponse } from "../chat-script/respond.ts";
import { hasScript } from "../chat-script/table.ts";
import { secondMs } from "../clock.ts";
import { echo } from "../engines/chat.ts";
import { sendReply } from "../engines/chat-response.ts";
import { issueIf, throwIfInvalid } from "../errors.ts";
import { PlainResponse } from "../http/exchange.ts";
import { findEngine } from "../tables/engines.ts";
import { increment } from "../tables/numbers.ts";
import type { Call, Handlers } from "./handler.ts";

type Input = CheckedInputOf<"createChatCompletion">;

/** Undocumented fields of the common chat-completions format that the sandbox supports. */
export const extensions = z.object({
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1))]).nullish(),
  n: z.literal(1).nullish(),
});

/**
 * Responds in the common chat-completions format. The chat script replies, if there is one, and otherwise the chat
 * engine. If there is neither, the response is an echo.
 */
async function createChatCompletion(
  input: Input,
  { exchange, now, store, environment }: Call,
): Promise<PlainResponse> {
  const isScripted = hasScript(store);
  const engine = isScripted ? undefined : findEngine(store, "chat");
  if (engine !== undefined) {
    const { passOnChat } = await import("../engines/remote/chat.ts");
    return passOnChat(exchange, { engine, environment, signal: exchange.request.signal });
  }
  const { stream, stream_options, max_completion_tokens, stop } = extensionsOf(input, isScripted);
  const wanted = { stream: stream === true, includeUsage: stream_options?.include_usage === true };
  const reply = isScripted
    ? scriptedResponse(exchange, store, input, wanted.stream)
    : echo(input.messages, {
        maxTokens: input.max_tokens ?? max_completion_tokens ?? undefined,
        stop: [stop ?? []].flat(),
      });
  if (reply instanceof PlainResponse) return reply;
  const common = {
    id: `chatcmpl-${store.write(() => increment(store, "chat"))}`,
    created: Math.floor(now / secondMs),
    model: input.model,
  };
  return sendReply(exchange, common, reply, wanted);
}

/**
 * Returns the supported undocumented fields of an input. If there is a chat script, any model is accepted.
 * @throws ApiError when the input is outside the sandbox's own limits
 */
function extensionsOf(input: Input, isScripted: boolean): z.output<typeof extensions> {
  const { model, messages, max_tokens } = input;
  const isKnown = isScripted || model === sandboxChatModel;
  const checked = check({ input: extensions }, input);
  throwIfInvalid(
    ...issueIf(!isKnown, "model", `must be ${sandboxChatModel}, the sandbox's chat model`),
    ...issueIf(messages.length === 0, "messages", "must have at least 1 item"),
    ...issueIf(max_tokens != null && max_tokens < 1, "max_tokens", "must be at least 1"),
    ...(checked.ok ? [] : checked.issues),
  );
  return extensions.parse(input);
}

export const chat = { createChatCompletion } satisfies Partial<Handlers>;
