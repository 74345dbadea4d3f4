import { rentalId } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { type FlagValues, flag } from "../../command-kit/flag.ts";
import { orCheck } from "../../command-kit/outcomes.ts";
import { isRecord } from "../../command-kit/responses.ts";
import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../../core/errors.ts";
import { dollars } from "../../core/money.ts";

/** Shared by the commands for the reserved term of a rental. */
export const termCommand = {
  alsoCalls: ["getRental"],
  args: [rentalId("rentalId")],
  withoutFlag: ["rentalId"],
  flags: {
    expectedPrice: flag.cents("The same as --expected-total-price-cents, in dollars such as 1234.50", {
      setsFields: ["expectedTotalPriceCents"],
    }),
  },
  view: { kind: "record", id: ["rentalId", "id"] },
} as const;

type Term = InputOf<"convertToReserved">;

interface Typed {
  readonly input: Partial<Term>;
  readonly flags: FlagValues<typeof termCommand.flags>;
}

/** The input with the value of `--expected-price`. */
export function withPrice({ input, flags: { expectedPrice } }: Typed): object {
  if (expectedPrice === undefined) return input;
  const { expectedTotalPriceCents } = input;
  if (expectedTotalPriceCents !== undefined && expectedTotalPriceCents !== expectedPrice) {
    throw new UsageError("--expected-price and --expected-total-price-cents differ: give one of them");
  }
  return { ...input, expectedTotalPriceCents: expectedPrice };
}

export const termQuestion = (verb: string, { rentalId, termPeriodDays, expectedTotalPriceCents }: Term) =>
  `${verb} rental ${rentalId} for ${termPeriodDays} days at ${dollars(expectedTotalPriceCents)} in total?`;

/** Sends a reserved-term request once; an unknown outcome comes with the rental's current term. */
export const sendOnce = <Value>(
  write: () => Promise<Value>,
  { rentalId }: Term,
  { call }: Pick<Context, "call">,
): Promise<Value> =>
  orCheck(write, async () => {
    const rental: unknown = await call("getRental", { rentalId: String(rentalId) }).catch(() => undefined);
    return isRecord(rental) ? currentTerm(rental) : "The rental could not be looked up either.";
  });

function currentTerm(rental: Readonly<Record<string, unknown>>): string {
  const term = rental.termType ?? (isRecord(rental.currentTerm) ? rental.currentTerm.termType : undefined);
  const end = rental.reservedUntil === undefined ? "" : ` until ${rental.reservedUntil}`;
  return `The rental's term is now: ${term ?? "unknown"}${end}.`;
}
