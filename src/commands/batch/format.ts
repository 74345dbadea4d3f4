import { dollarText, type Money } from "../../core/values/money.ts";

/** Such as `1 line` or `20 lines`. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count} ${count === 1 ? one : several}`;

/** What was spent, and what else may have been charged. */
export const costText = (spent: Money, uncertain: Money): string =>
  uncertain > 0n ? `${dollarText(spent)} to ${dollarText(spent + uncertain)}` : dollarText(spent);
