import type { Id } from "../../contract/shared.ts";
import { type RentalType, rentalAt } from "../lifecycle.ts";
import { issue, refuse, required } from "../refusal.ts";
import { findRental, saveRental } from "../tables/rentals.ts";
import type { Call, Handlers } from "./handler.ts";

/** Ends an active rental of a type at once, whatever its term. */
const ending =
  (type: RentalType) =>
  ({ rentalId }: { readonly rentalId: Id }, { store, userId, now }: Call) =>
    store.write(() => {
      const unknown = `no active rental has the id ${rentalId}`;
      const { id, rental } = required(findRental(store, userId, rentalId), "rentalId", unknown);
      if (rentalAt(rental, now).status === "Terminated") refuse(issue("rentalId", unknown));
      if (rental.rentalType !== type)
        refuse(issue("rentalId", `must be a ${type}, but is a ${rental.rentalType}`));
      saveRental(store, { id, rental: { ...rental, terminatedAt: now } });
      return { message: `Rental ${id} was ended.`, rentalId: id };
    });

export const terminate = {
  terminateVirtualMachineRental: ending("virtual-machine"),
  terminateBareMetalRental: ending("bare-metal"),
} satisfies Partial<Handlers>;
