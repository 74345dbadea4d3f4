import type { RentalType } from "../../client/rentals/type.ts";
import type { Context } from "../../command-kit/context.ts";
import { isRecord, recordsOf } from "../../command-kit/responses.ts";
import { rentalTypes } from "../../contract/enums.ts";
import type { InputOf } from "../../contract/index.ts";
import { UnexpectedResponse } from "../../core/errors.ts";
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

/** Lists the active rentals of one type or of both, requested in parallel. Throws only when the user interrupts. */
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
