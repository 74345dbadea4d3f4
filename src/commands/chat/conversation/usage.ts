import { decimalText, type Money, parseMoney } from "../../../core/values/money.ts";
import { isTokenCount, outputTokens } from "../../../core/values/prices.ts";
import type { Turn } from "../../../sessions/turn.ts";

/** How many of the last answers `/usage` lists one by one. */
const maxListed = 10;

/** Returns a line with the token counts and the cost of each of the last answers, and a line for all answers. */
export function usageLines(turns: readonly Turn[]): readonly string[] {
  const answers = turns.flatMap((turn, at) => (turn.role === "assistant" ? { turn, number: at + 1 } : []));
  if (answers.length === 0) return ["There are no answers yet."];
  const lines = answers.slice(-maxListed).map(({ turn, number }) => `Turn ${number}: ${tokensText([turn])}`);
  const left = answers.length - maxListed;
  return [
    ...(left > 0 ? [`(${left} earlier answers)`] : []),
    ...lines,
    `Session: ${answers.length} ${answers.length === 1 ? "answer" : "answers"}, ${tokensText(answers.map(({ turn }) => turn))}`,
  ];
}

function tokensText(answers: readonly Turn[]): string {
  const counts = ({ usage }: Turn) => [usage?.prompt_tokens, outputTokens(usage ?? {})];
  const [input, output] = [0, 1].map((at) =>
    answers
      .map((answer) => counts(answer)[at])
      .filter(isTokenCount)
      .reduce((total, count) => total + count, 0),
  );
  const unknown = answers.filter((answer) => !counts(answer).some(isTokenCount)).length;
  if (unknown === answers.length) return "token counts not reported";
  const costs = answers.flatMap(({ cost }) => costOf(cost) ?? []);
  const total = costs.reduce((all, cost) => all + cost, 0n);
  const unpriced = answers.length - costs.length;
  const price = `$${decimalText(total, 2)}${unpriced > 0 ? ` (cost of ${unpriced} not known)` : ""}`;
  return [
    `${input} tokens in, ${output} out`,
    ...(costs.length > 0 ? [price] : []),
    ...(unknown > 0 ? [`not reported for ${unknown}`] : []),
  ].join(", ");
}

/** The cost of a stored answer. Undefined if no cost is stored, or if the stored text is not an amount. */
function costOf(text: string | undefined): Money | undefined {
  try {
    return text === undefined ? undefined : parseMoney(text, "the cost");
  } catch {
    return undefined;
  }
}
