import type { CheckedInputOf } from "../../contract/index.ts";
import { Refusal } from "../refusal.ts";
import { activeRentals, saveRental } from "../tables/rentals.ts";
import { findUser, removeUser, saveUser } from "../tables/users.ts";
import type { Call, Handlers } from "./handler.ts";

type Changes = CheckedInputOf<"updateCurrentUser">;

const update = (changes: Changes, { store, userId }: Call) =>
  store.write(() => {
    const user = findUser(store, userId);
    if (!user) throw new Refusal("NOT_FOUND");
    const changed = { ...user, ...changes };
    saveUser(store, userId, changed);
    return { success: true, user: { id: userId, ...changed } };
  });

/** Ends the user's rentals with the user. */
const remove = (_input: object, { store, userId, now }: Call) =>
  store.write(() => {
    for (const { id, rental } of activeRentals(store, userId, now)) {
      saveRental(store, { id, rental: { ...rental, terminatedAt: now } });
    }
    removeUser(store, userId, now);
    return { success: true };
  });

export const user = {
  updateCurrentUser: update,
  deleteCurrentUser: remove,
  updateCurrentUserLegacy: update,
  deleteCurrentUserLegacy: remove,
} satisfies Partial<Handlers>;
