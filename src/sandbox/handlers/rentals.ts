import { termTypes } from "../../contract/enums.ts";
import type { Id } from "../../contract/shared.ts";
import type { ServedInputOf } from "../assumed/index.ts";
import { pageOf } from "../assumed/pages.ts";
import { ApiError, issueIf, required, throwIfInvalid } from "../errors.ts";
import { PlainResponse } from "../http/exchange.ts";
import { takeBoot } from "../rentals/boots.ts";
import { newRental, sshPublicKeysOf, volumeFor } from "../rentals/create.ts";
import { type RentalInput, type RentalType, rentalAt } from "../rentals/lifecycle.ts";
import { rentalRecords } from "../rentals/record.ts";
import { refusalOf } from "../situations/capacity.ts";
import { unpaidRefusal } from "../situations/money.ts";
import { withPlannedEnds } from "../situations/rentals.ts";
import type { Slice } from "../store/queries.ts";
import {
  activeRentals,
  activeRows,
  addRental,
  findRental,
  type NumberedRental,
  pastRentals,
  pastRows,
  type RentalRow,
  saveRental,
} from "../tables/rentals.ts";
import { activeSums, type RentalSum } from "../tables/sums.ts";
import { attach } from "../tables/volumes.ts";
import type { Call, Handlers } from "./handler.ts";

/** Creates a rental. If the input has a volume, attaches it; a new volume is created first. */
function rent(input: RentalInput, call: Call) {
  const { store, userId, now } = call;
  const result = store.write(() => {
    const sshPublicKeys = sshPublicKeysOf(store, userId, input);
    // The refusal is returned, not thrown: an exception would roll back the situation's count of refusals.
    const refusal = unpaidRefusal(store, userId, now) ?? refusalOf(store, userId, input, now);
    if (refusal) return refusal;
    const booting = newRental(input, now, takeBoot(store, input));
    const rental = { ...withPlannedEnds(store, booting, now), sshPublicKeys };
    const id = addRental(store, userId, rental);
    if (input.rentalType === "bare-metal" && input.storageVolume) {
      attach(store, volumeFor(store, userId, input.storageVolume, rental), [id]);
    }
    return recordOf({ id, rental }, call);
  });
  if (result instanceof ApiError) throw result;
  return result;
}

const records = (rentals: readonly NumberedRental[], call: Call) => rentalRecords(call, rentals, call.now);

/** The record of one rental. */
function recordOf(rental: NumberedRental, call: Call) {
  const [record] = records([rental], call);
  if (record === undefined) throw new Error(`no record of rental ${rental.id}`);
  return record;
}

/** The response with a whole list. It reuses the JSON of records, because the list may be long. */
const list = (rows: readonly RentalRow[], call: Call) =>
  PlainResponse.jsonText(call.recordTexts.list(call, rows, call.now));

const active = (call: Call, type: RentalType) =>
  list(activeRows(call.store, call.userId, call.now, type), call);

const page = (
  read: (slice: Slice) => readonly NumberedRental[],
  request: ServedInputOf<"listPastRentals">,
  call: Call,
) => {
  const { items, nextCursor } = pageOf(read, request);
  return { items: records(items, call), nextCursor };
};

/** Returns the user's active rental with this id. @throws ApiError if the rental does not exist or has ended */
export function activeRental(rentalId: Id, { store, userId, now }: Call): NumberedRental {
  const unknown = `no active rental has the id ${rentalId}`;
  const found = required(findRental(store, userId, rentalId), "rentalId", unknown);
  throwIfInvalid(...issueIf(rentalAt(found.rental, now).status === "Terminated", "rentalId", unknown));
  return found;
}

/** Returns a handler that ends an active rental of one type immediately, even during a reserved term. */
const terminate =
  (type: RentalType) =>
  ({ rentalId }: { readonly rentalId: Id }, call: Call) =>
    call.store.write(() => {
      const { id, rental } = activeRental(rentalId, call);
      const { rentalType } = rental;
      throwIfInvalid(
        ...issueIf(
          rentalType !== type,
          "rentalId",
          `must be a ${type} rental, but is a ${rentalType} rental`,
        ),
      );
      saveRental(call.store, { id, rental: { ...rental, terminatedAt: call.now } });
      return { message: `Rental ${id} was terminated.`, rentalId: id };
    });

export const rentals = {
  createVirtualMachineRental: (input, call) => rent({ ...input, rentalType: "virtual-machine" }, call),
  createBareMetalRental: (input, call) => rent({ ...input, rentalType: "bare-metal" }, call),
  createRental: rent,

  listVirtualMachineRentals: (_input, call) => active(call, "virtual-machine"),
  listBareMetalRentals: (_input, call) => active(call, "bare-metal"),
  listActiveRentals: ({ rentalType, ...request }, call) =>
    page((slice) => activeRentals(call.store, call.userId, call.now, rentalType, slice), request, call),

  getActiveRentalSummary(_input, { store, userId, now }) {
    const sums = activeSums(store, userId, now);
    const total = (field: keyof RentalSum) => termTypes.reduce((sum, type) => sum + sums[type][field], 0);
    return { count: total("count"), costPerHourCents: total("costPerHourCents"), byTermType: sums };
  },

  getRental({ rentalId }, call) {
    const found = findRental(call.store, call.userId, rentalId);
    if (!found) return null;
    const record = recordOf(found, call);
    return record.terminatedAt === null ? { state: "active", ...record } : { state: "terminated", ...record };
  },

  listRentalHistory: (_input, call) => list(pastRows(call.store, call.userId, call.now), call),
  listPastRentals: (request, call) =>
    page((slice) => pastRentals(call.store, call.userId, call.now, slice), request, call),

  terminateVirtualMachineRental: terminate("virtual-machine"),
  terminateBareMetalRental: terminate("bare-metal"),
} satisfies Partial<Handlers>;
