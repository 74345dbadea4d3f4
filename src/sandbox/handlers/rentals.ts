import { termTypes } from "../../contract/enums.ts";
import type { RentalType } from "../lifecycle.ts";
import { needSshKeys } from "../need-ssh-keys.ts";
import { newRental } from "../new-rental.ts";
import { rentalRecord } from "../rental-record.ts";
import { activeRentals, addRental, findRental, pastRentals } from "../tables/rentals.ts";
import { attach } from "../tables/volumes.ts";
import { volumeFor } from "../volume-for.ts";
import type { Call, Handlers } from "./handler.ts";

const active = ({ store, userId, now }: Call, type?: RentalType) =>
  activeRentals(store, userId, now, type).map((rental) => rentalRecord(store, rental, now));

/** Count and hourly cost in cents of some rentals. */
const sum = (rentals: readonly { costPerHourCents: number }[]) => ({
  count: rentals.length,
  costPerHourCents: rentals.reduce((total, rental) => total + rental.costPerHourCents, 0),
});

export const rentals = {
  createVirtualMachineRental(input, { store, userId, now }) {
    const rental = newRental(input, { rentalType: "virtual-machine", customPorts: input.customPorts }, now);
    return store.write(() => {
      needSshKeys(store, userId, input);
      return rentalRecord(store, { id: addRental(store, userId, rental), rental }, now);
    });
  },

  createBareMetalRental(input, { store, userId, now }) {
    const rental = newRental(input, { rentalType: "bare-metal", cudaVersion: input.cudaVersion }, now);
    return store.write(() => {
      needSshKeys(store, userId, input);
      const id = addRental(store, userId, rental);
      if (input.storageVolume) {
        attach(store, volumeFor(store, userId, input.storageVolume, rental), [id]);
      }
      return rentalRecord(store, { id, rental }, now);
    });
  },

  listVirtualMachineRentals: (_input, call) => active(call, "virtual-machine"),
  listBareMetalRentals: (_input, call) => active(call, "bare-metal"),

  getActiveRentalSummary(_input, call) {
    const all = active(call);
    const byTermType = termTypes.map((type) => [type, sum(all.filter(({ termType }) => termType === type))]);
    return { ...sum(all), byTermType: Object.fromEntries(byTermType) };
  },

  getRental({ rentalId }, { store, userId, now }) {
    const found = findRental(store, userId, rentalId);
    if (!found) return null;
    const record = rentalRecord(store, found, now);
    return record.terminatedAt === null ? { state: "active", ...record } : { state: "terminated", ...record };
  },

  listRentalHistory: (_input, { store, userId, now }) =>
    pastRentals(store, userId, now).map((rental) => rentalRecord(store, rental, now)),
} satisfies Partial<Handlers>;
