import { balanceAt } from "../ledger.ts";
import { required } from "../refusal.ts";
import { rentalRecord } from "../rental-record.ts";
import { creditOf } from "../tables/credits.ts";
import { numberOf } from "../tables/ids.ts";
import { allRentals } from "../tables/rentals.ts";
import type { AssumedHandlers, Call } from "./handler.ts";

/** What each rental has cost so far, in their order. */
const usage = ({ store, userId, now }: Call) =>
  allRentals(store, userId).map((numbered) => {
    const { id, label, rentalType, startedAt, terminatedAt, billedCents } = rentalRecord(
      store,
      numbered,
      now,
    );
    return {
      rentalId: id,
      label,
      rentalType,
      from: startedAt,
      until: terminatedAt,
      amountCents: billedCents,
    };
  });

const total = (lines: ReturnType<typeof usage>): number =>
  lines.reduce((sum, { amountCents }) => sum + amountCents, 0);

export const billing = {
  /** The cursor is the id of the last rental of the page before. */
  listUsage({ limit, cursor }, call) {
    const after =
      cursor === undefined ? 0 : required(numberOf(cursor), "cursor", "is none that was given out");
    const left = usage(call).filter(({ rentalId }) => rentalId > after);
    const items = left.slice(0, limit);
    const last = left.length > limit ? items.at(-1) : undefined;
    return { items, nextCursor: last ? String(last.rentalId) : null };
  },

  listInvoices(_input, call) {
    const lines = usage(call);
    return [{ id: "open", status: "open", currency: "usd", totalCents: total(lines), lines }];
  },

  getBalance(_input, { store, userId, now }) {
    const credit = creditOf(store, userId);
    const { creditCents, usedCents, balanceCents } = balanceAt(credit, allRentals(store, userId), now);
    return { currency: "usd", creditCents, spentCents: usedCents, balanceCents };
  },
} satisfies Partial<AssumedHandlers>;
