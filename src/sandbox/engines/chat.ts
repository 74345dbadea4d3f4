import type { CheckedInputOf } from "../../contract/index.ts";

type Messages = CheckedInputOf<"createChatCompletion">["messages"];

/**
 * The reply of `sandbox-echo`, a model that repeats the last user message. A picture is repeated as its media type or
 * URL in brackets. In the prompt and in the reply, a token is a word with the space before it. The reply ends before the
 * first of the `stop` texts, or after `maxTokens` tokens. In the latter case, the finish reason is `length`.
 */
export function echo(
  messages: Messages,
  {
    maxTokens,
    stop = [],
  }: { readonly maxTokens?: number | undefined; readonly stop?: readonly string[] } = {},
) {
  const message = messages.findLast(({ role }) => role === "user");
  const whole = message ? `sandbox-echo heard: ${textOf(message)}` : "sandbox-echo heard no user message.";
  const end = Math.min(...stop.map((text) => whole.indexOf(text)).filter((at) => at >= 0), whole.length);
  const words = split(whole.slice(0, end));
  const tokens = words.slice(0, maxTokens);
  const prompt_tokens = promptTokens(messages);
  return {
    tokens,
    finishReason: tokens.length < words.length ? "length" : "stop",
    usage: {
      prompt_tokens,
      completion_tokens: tokens.length,
      total_tokens: prompt_tokens + tokens.length,
    },
  };
}

export const promptTokens = (messages: Messages): number =>
  messages.reduce((sum, message) => sum + split(textOf(message)).length, 0);

/** Splits a text into tokens: words with the space before them. Trailing space is a separate token. */
export const split = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];

/**
 * The text of a message. Each part is on its own line. A picture is shown as its media type or URL in brackets, such as
 * `[image/png]`. Any other part without a text is shown as its type in brackets.
 */
export function textOf({ content }: Messages[number]): string {
  if (!Array.isArray(content)) return content ?? "";
  return content
    .map(({ type, text, image_url }) => text ?? `[${image_url ? pictureName(image_url.url) : type}]`)
    .join("\n");
}

/** The media type of a data URL; for any other URL, the URL itself. */
const pictureName = (url: string): string => /^data:([^;,]+)/.exec(url)?.[1] ?? url;
