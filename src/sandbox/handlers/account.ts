import type { CheckedInputOf } from "../../contract/index.ts";
import { pageOf } from "../assumed/pages.ts";
import { ApiError } from "../errors.ts";
import { rentalRecords } from "../rentals/record.ts";
import { accountAt } from "../situations/money.ts";
import { activeRentals, allRentals, type NumberedRental, saveRental } from "../tables/rentals.ts";
import { findUser, removeUser, saveUser } from "../tables/users.ts";
import type { Call, Handlers } from "./handler.ts";

/** One line for each rental, with what it has cost so far. */
const usageLines = (rentals: readonly NumberedRental[], call: Call) =>
  rentalRecords(call, rentals, call.now).map((record) => ({
    rentalId: record.id,
    label: record.label,
    rentalType: record.rentalType,
    from: record.startedAt,
    until: record.terminatedAt,
    amountCents: record.billedCents,
  }));

function updateUser(changes: CheckedInputOf<"updateCurrentUser">, { store, userId }: Call) {
  return store.write(() => {
    const user = findUser(store, userId);
    if (!user) throw new ApiError("NOT_FOUND");
    const changed = { ...user, ...changes };
    saveUser(store, userId, changed);
    return { success: true, user: { id: userId, ...changed } };
  });
}

/** Deletes the user and ends the user's rentals. */
function deleteUser(_input: object, { store, userId, now }: Call) {
  return store.write(() => {
    for (const { id, rental } of activeRentals(store, userId, now)) {
      saveRental(store, { id, rental: { ...rental, terminatedAt: now } });
    }
    removeUser(store, userId, now);
    return { success: true };
  });
}

/** Handlers of the current user, and of usage, invoices and the balance. */
export const account = {
  updateCurrentUser: updateUser,
  deleteCurrentUser: deleteUser,
  updateCurrentUserLegacy: updateUser,
  deleteCurrentUserLegacy: deleteUser,

  listUsage(request, call) {
    const { items, nextCursor } = pageOf((slice) => allRentals(call.store, call.userId, slice), request);
    return { items: usageLines(items, call), nextCursor };
  },

  listInvoices(_input, call) {
    const lines = usageLines(allRentals(call.store, call.userId), call);
    const totalCents = lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
    return [{ id: "open", status: "open", currency: "usd", totalCents, lines }];
  },

  getBalance(_input, { store, userId, now }) {
    const { creditCents, usedCents, balanceCents } = accountAt(store, userId, now);
    return { currency: "usd", creditCents, spentCents: usedCents, balanceCents };
  },
} satisfies Partial<Handlers>;
