import { type RentalType, rentalTypeOf } from "../../../client/rentals/type.ts";
import type { Context } from "../../../command-kit/context.ts";
import type { Offer } from "../../../command-kit/define.ts";
import { isRecord, jsonOf, recordsOf } from "../../../command-kit/responses.ts";
import { asText } from "../../../core/json.ts";
import { descriptionTimeout } from "../../../core/values/defaults.ts";
import { dollars } from "../../../core/values/money.ts";
import { optionsListing } from "../../../openapi/resources.ts";

/** Maps the names of fields in a rental option to the names of the same fields in a rental. */
const fieldNames = {
  gpuType: "gpuType",
  gpuCount: "gpuCount",
  region: "region",
  connectionType: "networkType",
} as const;

type Option = Readonly<Record<string, unknown>>;

/**
 * The service's offers for one type of rental, cheapest first. Leaves out offers that do not match the values already
 * given, and offers that are sold out. Empty if the API of the service has no list of rental options.
 */
export async function rentalOffers(
  type: RentalType,
  { describe, request, input }: Pick<Context, "describe" | "request"> & { readonly input: object },
): Promise<readonly Offer[]> {
  const listing = optionsListing(await describe({ timeout: descriptionTimeout }));
  if (listing === undefined) return [];
  const response = await request({ method: "GET", path: listing.path, host: "compute" }, { retries: 0 });
  const options = recordsOf(jsonOf(response))
    .filter(isRecord)
    .filter((option) => (rentalTypeOf(option) ?? type) === type && option.totalAvailable !== 0)
    .filter((option) => agrees(option, new Map(Object.entries(input))))
    .toSorted((a, b) => price(a) - price(b));
  const rows = options.map((option) => ({ cells: cellsOf(option), input: inputOf(option) }));
  const widths = [0, 1, 2, 3].map((at) =>
    rows.reduce((most, { cells }) => Math.max(most, cells[at]?.length ?? 0), 0),
  );
  return rows.map(({ cells, input }) => ({
    label: cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
    input,
  }));
}

/** Whether an option has the values that were given. A field that the option lacks matches any value. */
const agrees = (option: Option, given: ReadonlyMap<string, unknown>): boolean =>
  Object.entries(fieldNames).every(
    ([name, field]) => !given.has(field) || (option[name] ?? given.get(field)) === given.get(field),
  );

const price = ({ costPerHourCents: cents }: Option): number =>
  typeof cents === "number" ? cents : Number.POSITIVE_INFINITY;

/** The GPUs, region, network, price and availability of an option, as texts for a prompt. */
const cellsOf = ({ gpuType, gpuCount, region, connectionType, totalAvailable, ...option }: Option) => [
  [gpuCount, gpuType].filter(isValue).join(" x "),
  asText(region),
  asText(connectionType),
  Number.isFinite(price(option)) ? `${dollars(price(option))}/h` : "price unknown",
  typeof totalAvailable === "number" ? `${totalAvailable} available` : "",
];

function inputOf(option: Option): Offer["input"] {
  const values = Object.entries(fieldNames).flatMap(([name, field]) => {
    const value = option[name];
    return isValue(value) ? [[field, value] as const] : [];
  });
  return Object.fromEntries(values);
}

const isValue = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";
