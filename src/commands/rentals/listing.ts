import type { RentalType } from "../../client/rentals/type.ts";
import type { Context } from "../../command-kit/context.ts";
import { isRecord, recordsOf } from "../../command-kit/responses.ts";
import { rentalTypes } from "../../contract/enums.ts";
import type { InputOf } from "../../contract/index.ts";
import { Incomplete, UnexpectedResponse } from "../../core/errors.ts";
import { recordsOf as recordsIn } from "../../core/json.ts";
import { copyTexts } from "../../core/values/exact-numbers.ts";

const [bareMetal, virtualMachine] = rentalTypes;

/** The types of rentals, with their operations and how a sentence names one and several of them. */
export const kinds = {
  [virtualMachine]: {
    list: "listVirtualMachineRentals",
    create: "createVirtualMachineRental",
    text: "a virtual machine",
    plural: "virtual machines",
  },
  [bareMetal]: {
    list: "listBareMetalRentals",
    create: "createBareMetalRental",
    text: "bare metal",
    plural: "bare-metal rentals",
  },
} as const;

/** An active rental, with the type of the listing that contains it. */
export interface ActiveRental {
  readonly record: unknown;
  readonly type: RentalType;
}

/** The rentals of the listings that succeeded, and the errors of the others. */
export interface Listings {
  readonly rentals: readonly ActiveRental[];
  readonly listed: readonly RentalType[];
  readonly failures: ReadonlyMap<RentalType, unknown>;
}

/** Lists the active rentals of one type or of both, requested in parallel, when all have arrived. Throws only when the user interrupts. */
export async function listEach(
  { call, interrupted }: Pick<Context, "call" | "interrupted">,
  query: InputOf<"listVirtualMachineRentals">,
  types: readonly RentalType[],
): Promise<Listings> {
  const failures = new Map<RentalType, unknown>();
  const listings = types.map((type) =>
    list(type, query, call).catch((error: unknown) => {
      failures.set(type, error);
      return [];
    }),
  );
  const rentals = joined(await Promise.all(listings));
  interrupted.throwIfAborted();
  return { rentals, listed: types.filter((type) => !failures.has(type)), failures };
}

/** Rentals in batches as they arrive. A listing that breaks off is added to the failures meanwhile. */
export interface ArrivingListings extends Omit<Listings, "rentals"> {
  readonly rentals: AsyncIterable<readonly ActiveRental[]>;
  /** Why the listings are incomplete, once all rentals were read. */
  readonly incomplete: () => Incomplete | undefined;
}

/** As `listEach`, but returns the rentals of long lists as they arrive. Reading them throws when no listing is complete. */
export async function listArriving(
  { list, interrupted }: Pick<Context, "list" | "interrupted">,
  query: InputOf<"listVirtualMachineRentals">,
  types: readonly RentalType[],
): Promise<ArrivingListings> {
  const failures = new Map<RentalType, unknown>();
  const brokenOff = new Set<RentalType>();
  const requests = types.map(async (type) => {
    try {
      const input = type === virtualMachine ? query : {};
      return [{ type, listed: await list(kinds[type].list, input, { wholeIfShort: true }) }];
    } catch (error) {
      failures.set(type, error);
      return [];
    }
  });
  const listings = (await Promise.all(requests)).flat();
  interrupted.throwIfAborted();
  async function* rentals(): AsyncGenerator<readonly ActiveRental[]> {
    for (const { type, listed } of listings) {
      try {
        const batches = "records" in listed ? listed.records : [recordsOf(listed.data)];
        for await (const records of batches) yield records.map((record) => ({ record, type }));
      } catch (error) {
        interrupted.throwIfAborted();
        brokenOff.add(type);
        failures.set(type, error);
      }
    }
    const [failed] = failures;
    if (failed && failures.size === types.length) throw failed[1];
  }
  return {
    rentals: rentals(),
    listed: listings.map(({ type }) => type),
    failures,
    incomplete: () => {
      const [failed] = failures;
      if (!failed) return undefined;
      const [type, error] = failed;
      const { plural } = kinds[type];
      const complete = types.filter((one) => !failures.has(one)).map((one) => kinds[one].plural);
      const why = brokenOff.has(type)
        ? `The list of ${plural} broke off; there may be more of them.`
        : `Only ${complete.join(" and ")} are listed; there may be active ${plural}.`;
      return new Incomplete(why, error);
    },
  };
}

/** The first items of batches. It ends, and closes the response, without asking for another batch than it needs. */
export async function* upTo<Item>(
  limit: number,
  batches: AsyncIterable<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  let left = limit;
  for await (const items of batches) {
    yield items.slice(0, left);
    left -= items.length;
    if (left <= 0) return;
  }
}

/**
 * All active rentals. Throws when a listing fails, is not a list or may be incomplete: the caller needs to know about
 * every rental.
 */
export async function listActive({ call }: Pick<Context, "call">): Promise<readonly ActiveRental[]> {
  const listings = bothTypes.map(async (type) => {
    const page = await call(kinds[type].list, {}, { warn: () => refuseListing(type) });
    return (recordsIn(page) ?? refuseListing(type)).map((record) => ({ record, type }));
  });
  return joined(await Promise.all(listings));
}

function refuseListing(type: RentalType): never {
  throw new UnexpectedResponse(
    `the service's list of ${kinds[type].plural} is incomplete, or not a list`,
    "Nothing was changed. `gpuctl rentals list` shows what the service lists.",
  );
}

/** The lists as one. `flat` takes several times as long for millions of records. */
function joined<Item>([first = [], ...others]: readonly (readonly Item[])[]): readonly Item[] {
  return others.length === 0 ? first : first.concat(...others);
}

/** In the order in which they are listed. */
export const bothTypes: readonly RentalType[] = [virtualMachine, bareMetal];

async function list(
  type: RentalType,
  query: InputOf<"listVirtualMachineRentals">,
  call: Context["call"],
): Promise<readonly ActiveRental[]> {
  const page = await call(kinds[type].list, type === virtualMachine ? query : {});
  return recordsOf(page).map((record) => ({ record, type }));
}

/** A rental's record with its type, for a table. */
export const rowOf = ({ record, type }: ActiveRental): unknown =>
  isRecord(record) ? copyTexts(record, { ...record, rentalType: record.rentalType ?? type }) : record;
