import { balanceAt } from "../ledger.ts";
import { rentalRecord } from "../rental-record.ts";
import { creditOf } from "../tables/credits.ts";
import { allRentals, type NumberedRental } from "../tables/rentals.ts";
import type { Call, Handlers } from "./handler.ts";
import { pageOf } from "./page.ts";

/** What a rental has cost so far. */
function usageLine(numbered: NumberedRental, { store, now }: Call) {
  const record = rentalRecord(store, numbered, now);
  return {
    rentalId: record.id,
    label: record.label,
    rentalType: record.rentalType,
    from: record.startedAt,
    until: record.terminatedAt,
    amountCents: record.billedCents,
  };
}

const total = (lines: readonly ReturnType<typeof usageLine>[]): number =>
  lines.reduce((sum, { amountCents }) => sum + amountCents, 0);

export const billing = {
  listUsage(asked, call) {
    const { items, nextCursor } = pageOf(allRentals(call.store, call.userId), asked);
    return { items: items.map((rental) => usageLine(rental, call)), nextCursor };
  },

  listInvoices(_input, call) {
    const lines = allRentals(call.store, call.userId).map((rental) => usageLine(rental, call));
    return [{ id: "open", status: "open", currency: "usd", totalCents: total(lines), lines }];
  },

  getBalance(_input, { store, userId, now }) {
    const credit = creditOf(store, userId);
    const { creditCents, usedCents, balanceCents } = balanceAt(credit, allRentals(store, userId), now);
    return { currency: "usd", creditCents, spentCents: usedCents, balanceCents };
  },
} satisfies Partial<Handlers>;
