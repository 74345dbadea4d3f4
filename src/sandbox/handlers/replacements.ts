import { rentalRecord } from "../rental-record.ts";
import { activeRentals, type NumberedRental, pastRentals } from "../tables/rentals.ts";
import type { Call, Handlers } from "./handler.ts";
import { pageOf } from "./page.ts";
import { rentals } from "./rentals.ts";

const page = (all: readonly NumberedRental[], asked: Parameters<typeof pageOf>[1], { store, now }: Call) => {
  const { items, nextCursor } = pageOf(all, asked);
  return { items: items.map((rental) => rentalRecord(store, rental, now)), nextCursor };
};

export const replacements = {
  createRental: (input, call) =>
    input.rentalType === "bare-metal"
      ? rentals.createBareMetalRental(input, call)
      : rentals.createVirtualMachineRental(input, call),

  listActiveRentals: ({ rentalType, ...asked }, call) =>
    page(activeRentals(call.store, call.userId, call.now, rentalType), asked, call),

  listPastRentals: (asked, call) => page(pastRentals(call.store, call.userId, call.now), asked, call),
} satisfies Partial<Handlers>;
