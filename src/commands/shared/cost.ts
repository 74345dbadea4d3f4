import { exactDollars } from "../../output/units.ts";
import { BudgetExceeded } from "../errors.ts";
import { fineAmountFlag } from "./values.ts";

/** What a hundredth of a cent is of a dollar: prices are exact to it. */
const fine = 10_000;

/** Throws `BudgetExceeded` when something costs more dollars than the limit, given as typed. */
export function withinCost(cost: number, limit: string | readonly string[] | boolean | undefined): void {
  if (typeof limit !== "string") return;
  const most = fineAmountFlag(limit, "--max-cost");
  if (Math.round(cost * fine) > most) {
    throw new BudgetExceeded(
      `this would cost ${exactDollars(cost)}; the limit is ${exactDollars(most / fine)}`,
    );
  }
}
