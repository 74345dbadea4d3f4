import type { RentalType } from "../../client/rentals/type.ts";
import type { Context } from "../../command-kit/context.ts";
import { isRecord, recordsOf } from "../../command-kit/responses.ts";
import { rentalTypes } from "../../contract/enums.ts";
import type { InputOf } from "../../contract/index.ts";
import { Incomplete, UnexpectedResponse } from "../../core/errors.ts";
import { recordsOf as recordsIn } from "../../core/json.ts";
import { NotServed } from "../../core/service-errors.ts";
import { copyTexts } from "../../core/values/exact-numbers.ts";

const [bareMetal, virtualMachine] = rentalTypes;

/** The types of rentals, each with its operations and its singular and plural name for sentences. */
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

/**
 * Lists the active rentals of one type or both. Requests the lists in parallel, and returns when all have arrived.
 * Throws only if the user interrupts.
 */
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

/** Rentals in batches as they arrive. If a listing breaks off while it is read, its error is added to the failures. */
export interface ArrivingListings extends Omit<Listings, "rentals"> {
  readonly rentals: AsyncIterable<readonly ActiveRental[]>;
  /** Why the listings are incomplete; undefined if they are complete. Call it after all rentals were read. */
  readonly incomplete: () => Incomplete | undefined;
}

/**
 * Like `listEach`, but yields the rentals of long lists as they arrive. Reading them throws if no listing is complete.
 */
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

/** Yields the first `limit` items of batches. Then stops without requesting another batch, and closes the response. */
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
 * Lists the active rentals of every type that the service offers. Throws if a listing fails, is not a list or may be
 * incomplete, because the caller needs to know about every rental.
 */
export async function listActive(context: Pick<Context, "call">): Promise<readonly ActiveRental[]> {
  const lists = await listBoth(context);
  const failed = lists.find((list) => list.status === "rejected");
  if (failed) throw failed.reason;
  return joined(lists.flatMap((list) => (list.status === "fulfilled" ? [list.value] : [])));
}

/**
 * Lists the active rentals of both types, in the order of `bothTypes`. One listing may fail and the other succeed: each
 * fails for the reasons for which `listActive` throws. If the service offers only one type, the list of the other type
 * is empty.
 */
export async function listBoth(
  context: Pick<Context, "call">,
): Promise<readonly PromiseSettledResult<readonly ActiveRental[]>[]> {
  const lists = await Promise.allSettled(bothTypes.map((type) => listActiveOf(type, context)));
  const isOffered = (list: (typeof lists)[number]) =>
    list.status === "fulfilled" || !(list.reason instanceof NotServed);
  if (!lists.some(isOffered)) return lists;
  return lists.map((list) => (isOffered(list) ? list : { status: "fulfilled", value: [] }));
}

/** Lists all active rentals of a type. Throws as `listActive` does. */
export async function listActiveOf(
  type: RentalType,
  { call }: Pick<Context, "call">,
): Promise<readonly ActiveRental[]> {
  const page = await call(kinds[type].list, {}, { warn: () => refuseListing(type) });
  return (recordsIn(page) ?? refuseListing(type)).map((record) => ({ record, type }));
}

function refuseListing(type: RentalType): never {
  throw new UnexpectedResponse(
    `the service's list of ${kinds[type].plural} is incomplete, or not a list`,
    "`gpuctl rentals list` shows what the service lists.",
  );
}

/** Joins lists. Does not use `flat`, which takes several times as long for millions of records. */
function joined<Item>([first = [], ...others]: readonly (readonly Item[])[]): readonly Item[] {
  return others.length === 0 ? first : first.concat(...others);
}

/** Both types, in the order in which their rentals are listed. */
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
