import { UsageError } from "../errors.ts";
import { inProportion, type Money, parseMoney } from "./money.ts";

/** What a model charges, in dollars per million tokens. */
export interface TokenPrices {
  readonly input: Money;
  readonly output: Money;
}

const perTokens = 1_000_000;

/**
 * Parses a comma-separated list of `MODEL=IN/OUT`, in dollars per million tokens. Throws a `UsageError` that names
 * `source` if the text is invalid.
 */
export function parsePrices(text: string, source: string): ReadonlyMap<string, TokenPrices> {
  const prices = new Map<string, TokenPrices>();
  for (const one of text.split(",")) {
    const [, model, input, output] = /^\s*(\S.*?)\s*=\s*([^=/]+)\/([^=/]+)$/.exec(one) ?? [];
    if (model === undefined || input === undefined || output === undefined) {
      throw new UsageError(
        `${source} must be prices in dollars per million tokens such as llama=0.60/2.40, not ${JSON.stringify(one.trim())}`,
      );
    }
    prices.set(model, { input: parseMoney(input, source), output: parseMoney(output, source) });
  }
  return prices;
}

/** Token counts as a service reports them. */
export interface TokenCounts {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly total_tokens?: unknown;
}

/** The exact cost of some tokens; undefined if either number of tokens is not known. */
export function costOfTokens({ input, output }: TokenPrices, counts: TokenCounts): Money | undefined {
  const { prompt_tokens: sent } = counts;
  const received = outputTokens(counts);
  if (!isTokenCount(sent) || !isTokenCount(received)) return undefined;
  return inProportion(input, [sent], [perTokens]) + inProportion(output, [received], [perTokens]);
}

/**
 * The number of output tokens, or what the service sent in its place. Some services count reasoning, which costs as
 * much as other output, only in the total.
 */
export function outputTokens({ prompt_tokens, completion_tokens, total_tokens }: TokenCounts): unknown {
  if (!isTokenCount(prompt_tokens) || !isTokenCount(completion_tokens) || !isTokenCount(total_tokens)) {
    return completion_tokens;
  }
  return Math.max(completion_tokens, total_tokens - prompt_tokens);
}

/** Whether a value that a service reports can be a number of tokens. */
export const isTokenCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
