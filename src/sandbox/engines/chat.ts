/** An answer of the model `sandbox-echo`. */
export type Echo = {
  /** The answer in order, one word each; a word keeps the space before it, so that joined they are the answer. */
  tokens: string[];
  /** `length` when the answer was cut at the most tokens asked for. */
  finishReason: "stop" | "length";
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
};

/** Where an answer ends before its own end. */
interface Ends {
  readonly maxTokens?: number | undefined;
  /** Texts of which the first one that the answer comes to ends it; it is left out itself. */
  readonly stop?: readonly string[] | undefined;
}

/**
 * The answer of `sandbox-echo`, a model that says back the last thing the user said and claims no more.
 * A token is a word with the space before it, in the prompt as in the answer; `maxTokens` cuts the answer.
 */
export function echo(
  messages: readonly { role: string; content: string }[],
  { maxTokens, stop = [] }: Ends = {},
): Echo {
  const heard = messages.findLast(({ role }) => role === "user")?.content;
  const whole = heard === undefined ? "sandbox-echo heard no user message." : `sandbox-echo heard: ${heard}`;
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

/** Words, each with the space before it; space at the very end is a token too. Joined they are the text. */
function split(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}
