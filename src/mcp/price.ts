import { picturePrice } from "../command-kit/inference.ts";
import { termTypes } from "../contract/enums.ts";
import { routes } from "../contract/generated/routes.ts";
import { BudgetExceeded } from "../core/errors.ts";
import { type Money, moneyOfCents } from "../core/values/money.ts";
import type { Arguments, Tool } from "./tools.ts";

/**
 * The one-time cost of a call, for the budget: the documented price of a picture, the expected price of a term, or
 * `assumed` for each chat answer or recording, because the prices of these are not documented. Undefined for a call
 * without a one-time cost. Throws `BudgetExceeded` if the cost cannot be known.
 */
export function priceOf(
  { operation, name }: Tool,
  args: Arguments,
  assumed: Money | undefined,
): Money | undefined {
  switch (operation) {
    case "generateImage": {
      const price = picturePrice({
        width: factor("width"),
        height: factor("height"),
        steps: factor("steps"),
      });
      if (price !== undefined) return price;
      throw new BudgetExceeded(
        "the price is unknown, because the size or the number of steps is not a positive number",
      );
    }
    case "createChatCompletion":
    case "generateAudio":
      if (assumed !== undefined) return assumed * answersOf(args);
      throw new BudgetExceeded(
        `the price of ${name} is not documented, so --max-cost cannot be checked; the user can start the server with --assume-price AMOUNT to count that much for each chat answer or audio file`,
      );
    case "convertToReserved":
    case "extendReserved":
      return moneyOfCents(Number(args.expectedTotalPriceCents));
    case "createVirtualMachineRental":
    case "createBareMetalRental":
      if (String(args.termType ?? termTypes[0]) === termTypes[0]) return undefined;
      throw new BudgetExceeded(
        "a reserved term commits to a price that is not known in advance; create an on-demand rental, then call convert_to_reserved with the price",
      );
    default:
      return undefined;
  }

  function factor(field: string): number {
    const documented = routes.generateImage.fields.find((one) => one.name === field)?.default;
    return Number(args[field] ?? documented);
  }
}

/**
 * How many answers a call asks for with the field `n`. Throws `BudgetExceeded` if `n` is not a whole number of at least
 * 1, because a service might then use a number of its own.
 */
function answersOf({ n }: Arguments): bigint {
  const count = n ?? 1;
  if (typeof count === "number" && Number.isSafeInteger(count) && count >= 1) return BigInt(count);
  throw new BudgetExceeded(
    "the price is unknown, because n, the number of answers, is not a whole number of at least 1",
  );
}
