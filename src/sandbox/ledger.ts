import { type Billed, billedBefore, type StoredRental } from "./lifecycle.ts";

/** A rental with its number, as it is kept. */
interface Numbered {
  readonly id: number;
  readonly rental: StoredRental;
}

/** What one rental used in a span of time. */
export interface UsageLine extends Billed {
  readonly rentalId: number;
  readonly rental: StoredRental;
}

/** What a user may still use up, in cents. Below zero nothing is stopped. */
export interface Balance {
  readonly creditCents: number;
  readonly usedCents: number;
  readonly balanceCents: number;
}

/** A span of time: from a moment to before another one, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

/**
 * What a rental used in a span: its cost until the end less its cost until the start, each rounded down to a cent, so
 * that spans that follow on one another add up to the whole, to the cent.
 */
export function usageIn(rental: StoredRental, { from, until }: Span): Billed {
  const [before, after] = [billedBefore(rental, from), billedBefore(rental, until)];
  return { seconds: after.seconds - before.seconds, cents: after.cents - before.cents };
}

/** A line for each rental that used something in a span, in the order given. */
export const usageLines = (rentals: readonly Numbered[], span: Span): readonly UsageLine[] =>
  rentals
    .map(({ id, rental }) => ({ rentalId: id, rental, ...usageIn(rental, span) }))
    .filter(({ seconds }) => seconds > 0);

/** What is left of a credit after all that the rentals have cost until a moment. */
export function balanceAt(creditCents: number, rentals: readonly Numbered[], moment: number): Balance {
  const usedCents = rentals.reduce((total, { rental }) => total + billedBefore(rental, moment).cents, 0);
  return { creditCents, usedCents, balanceCents: creditCents - usedCents };
}
