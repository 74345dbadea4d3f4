import type { Context } from "../../context/context.ts";
import { termTypes } from "../../contract/enums.ts";
import { firstAt } from "../../output/paths.ts";
import { parseTime } from "../../output/time.ts";
import { dollars } from "../../output/units.ts";
import { idOf, recordsOf } from "../shared/records.ts";
import { rentalOptions } from "./catalogue.ts";
import { hourlyCost } from "./cost.ts";
import { hourlyCentsOf } from "./option-price.ts";

/** What is about to be rented. */
export interface Wanted {
  readonly gpuCount: number;
  readonly gpuType: string;
  readonly termType: string;
  readonly region: string;
  readonly networkType: string;
}

type List = "listVirtualMachineRentals" | "listBareMetalRentals";

/** Longest time to look for a price, in milliseconds: somebody waits for the question. */
const patience = 5_000;

/**
 * What a rental will cost an hour: by the service's rental options where it lists some, else by the newest rental of the
 * caller with the same GPU and term, first of what is active, then of what has ended. The answer to a create may say
 * otherwise, so this is an estimate, and may be nothing.
 */
export async function estimate(
  wanted: Wanted,
  list: List,
  context: Pick<Context, "call" | "describe" | "request" | "progress">,
): Promise<string | undefined> {
  const { call, progress } = context;
  const brief = { retries: 0, timeout: { compute: patience, inference: patience } };
  const read = (id: List | "listRentalHistory") => call(id, {}, brief).then(recordsOf, () => []);
  return progress("Looking for what such a rental costs", async () => {
    const listed = onDemand(wanted)
      ? hourlyCentsOf(await rentalOptions(context, brief), {
          ...wanted,
          gpuType: wanted.gpuType.toLowerCase(),
          type: list === "listBareMetalRentals" ? "bare-metal" : "vm",
        })
      : undefined;
    if (listed !== undefined) return `about ${dollars(listed)} an hour, by the service's rental options`;
    const known = newest(await read(list), wanted) ?? newest(await read("listRentalHistory"), wanted);
    if (known === undefined) return undefined;
    const cents = Math.round((known.cents / known.gpus) * wanted.gpuCount);
    return `about ${dollars(cents)} an hour, by what rental ${known.id} costs`;
  });
}

/** The price of an option is that of renting on demand. */
const onDemand = ({ termType }: Wanted): boolean => termType.toLowerCase() === termTypes[0];

interface Known {
  readonly id: string;
  readonly gpus: number;
  readonly cents: number;
  readonly created: number;
}

function newest(records: readonly unknown[], wanted: Wanted): Known | undefined {
  return records
    .flatMap((record) => knownPrice(record, wanted))
    .reduce<Known | undefined>((best, one) => (best && best.created >= one.created ? best : one), undefined);
}

function knownPrice(record: unknown, { gpuType, termType }: Wanted): readonly Known[] {
  const text = (...paths: string[]) => String(firstAt(record, paths) ?? "").toLowerCase();
  const gpus = Number(firstAt(record, ["gpuCount"]));
  const cents = hourlyCost(record);
  const id = idOf(record);
  const same =
    text("gpuType") === gpuType.toLowerCase() &&
    text("termType", "currentTerm.termType") === termType.toLowerCase();
  if (!same || id === undefined || cents === undefined || !(cents > 0) || !(gpus > 0)) return [];
  return [{ id, gpus, cents, created: parseTime(String(firstAt(record, ["createdAt", "startedAt"]))) ?? 0 }];
}
