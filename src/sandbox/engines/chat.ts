/**
 * The reply of `sandbox-echo`, a model that repeats the last user message. A token is a word with the space before it, in
 * the prompt as in the reply. The reply ends before the first of the `stop` texts, or after `maxTokens` with the finish
 * reason `length`.
 */
export function echo(
  messages: readonly { role: string; content: string }[],
  {
    maxTokens,
    stop = [],
  }: { readonly maxTokens?: number | undefined; readonly stop?: readonly string[] } = {},
) {
  const message = messages.findLast(({ role }) => role === "user")?.content;
  const whole =
    message === undefined ? "sandbox-echo heard no user message." : `sandbox-echo heard: ${message}`;
  const end = Math.min(...stop.map((text) => whole.indexOf(text)).filter((at) => at >= 0), whole.length);
  const words = split(whole.slice(0, end));
  const tokens = words.slice(0, maxTokens);
  const prompt_tokens = messages.reduce((sum, { content }) => sum + split(content).length, 0);
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

/** Words, each with the space before it; trailing space is a token of its own. */
const split = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];
