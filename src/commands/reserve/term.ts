import type { Context } from "../../context/context.ts";
import { dollars } from "../../output/units.ts";
import { UsageError } from "../errors.ts";
import { orLook } from "../shared/look.ts";
import { isRecord } from "../shared/records.ts";
import { amountFlag } from "../shared/values.ts";
import type { Args } from "../spec.ts";

/** The fields, with `--expected-price` as cents. */
export function withPrice({ fields, flags }: Args): Readonly<Record<string, unknown>> {
  const price = flags["expected-price"];
  if (typeof price !== "string") return fields;
  const expectedTotalPriceCents = amountFlag(price, "--expected-price");
  const given = fields.expectedTotalPriceCents;
  if (given !== undefined && given !== expectedTotalPriceCents) {
    throw new UsageError("--expected-price and --expected-total-price-cents differ: give one of them");
  }
  return { ...fields, expectedTotalPriceCents };
}

interface Term {
  readonly rentalId: string | number;
  readonly termPeriodDays: number;
  readonly expectedTotalPriceCents: number;
}

export const termQuestion = (verb: string, { rentalId, termPeriodDays, expectedTotalPriceCents }: Term) =>
  `${verb} rental ${rentalId} for ${termPeriodDays} days at ${dollars(expectedTotalPriceCents)} in total?`;

/** Sends a reserved-term request once; when its outcome is unknown, tells what the rental's term is now. */
export const termOrLook = <Value>(
  write: () => Promise<Value>,
  rentalId: string | number,
  { call }: Pick<Context, "call">,
): Promise<Value> =>
  orLook(write, async () => {
    const rental: unknown = await call("getRental", { rentalId: String(rentalId) }).catch(() => undefined);
    return isRecord(rental) ? termNow(rental) : "The rental could not be looked up either.";
  });

function termNow(rental: Readonly<Record<string, unknown>>): string {
  const term = rental.termType ?? (isRecord(rental.currentTerm) ? rental.currentTerm.termType : undefined);
  const end = rental.reservedUntil === undefined ? "" : ` until ${rental.reservedUntil}`;
  return `The rental's term is now: ${term ?? "not told"}${end}.`;
}
