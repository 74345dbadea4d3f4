import { rentalId } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { type FlagValues, flag } from "../../command-kit/flag.ts";
import { writeAndCheck } from "../../command-kit/outcomes.ts";
import { isRecord } from "../../command-kit/responses.ts";
import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { dollars } from "../../core/money.ts";

type TermOperation = "convertToReserved" | "extendReserved";
type Term = InputOf<"convertToReserved">;

const flags = {
  expectedPrice: flag.cents("The same as --expected-total-price-cents, in dollars such as 1234.50", {
    setsFields: ["expectedTotalPriceCents"],
  }),
};

/** What the commands that reserve a rental or extend its term have in common. */
export const termCommand = <const Id extends TermOperation>(operation: Id, verb: "Reserve" | "Extend") =>
  ({
    operation,
    alsoCalls: ["getRental"],
    args: [rentalId],
    fieldsWithoutFlag: ["rentalId"],
    flags,
    view: { kind: "record", id: ["rentalId", "id"] },
    buildInput: withPrice,
    confirm: {
      spending: ({ input }: { readonly input: Term }) =>
        `${verb} rental ${input.rentalId} for ${input.termPeriodDays} days at ${dollars(input.expectedTotalPriceCents)} in total?`,
    },
    run: async ({ input, call }: Pick<Context, "call"> & { readonly input: InputOf<Id> }) => ({
      data: await writeAndCheck(
        () => call(operation, input),
        () => currentTerm(String(input.rentalId), call),
      ),
    }),
  }) as const;

/** The input with the value of `--expected-price`. */
function withPrice({
  input,
  flags: { expectedPrice },
}: {
  readonly input: Partial<Term>;
  readonly flags: FlagValues<typeof flags>;
}): object {
  if (expectedPrice === undefined) return input;
  if ((input.expectedTotalPriceCents ?? expectedPrice) !== expectedPrice) {
    throw new UsageError("--expected-price and --expected-total-price-cents differ: use one of them");
  }
  return { ...input, expectedTotalPriceCents: expectedPrice };
}

async function currentTerm(rentalId: string, call: Context["call"]): Promise<string> {
  const rental: unknown = await call("getRental", { rentalId }).catch(() => undefined);
  if (!isRecord(rental)) return "The rental could not be looked up either.";
  const term = firstAt(rental, ["termType", "currentTerm.termType"]) ?? "unknown";
  const end = firstAt(rental, ["reservedUntil", "currentTerm.reservedUntil"]);
  return `The rental's term is now: ${term}${end === undefined ? "" : ` until ${end}`}.`;
}
