import { UnexpectedResponse } from "../errors.ts";
import { asText, firstAt, isRecord, shownAt } from "../json.ts";
import { timeUnits } from "../values/durations.ts";
import { parseTime } from "../values/times.ts";

/** A record's ID as text. */
export function idOf(record: unknown): string | undefined {
  if (!isRecord(record)) return undefined;
  return idText(shownAt(record, idPaths));
}

const idPaths = ["id", "rentalId"];

const idText = (id: unknown): string | undefined =>
  (typeof id === "string" && id !== "") || typeof id === "number" ? String(id) : undefined;

/** The IDs of a record, in the order of `idPaths`. A record may have a second ID, such as its ID in a database. */
export const idsOf = (record: unknown): readonly (string | number)[] =>
  idPaths
    .map((path) => shownAt(record, [path]))
    .filter((id) => typeof id === "string" || typeof id === "number");

/** The ID in a record that matches `rentalId`, as the service spells it. Undefined if no ID of the record matches. */
export const sameIdIn = (record: unknown, rentalId: string): string | number | undefined =>
  idsOf(record).find((id) => comparable(String(id)) === comparable(rentalId));

/**
 * Throws `UnexpectedResponse` if the response to the lookup of a rental has IDs, and none of them is the ID of that
 * rental. Accepts null, and a record without an ID.
 */
export function assertIsRental(rentalId: string, record: unknown): void {
  const ids = idsOf(record);
  if (ids.length === 0 || sameIdIn(record, rentalId) !== undefined) return;
  throw new UnexpectedResponse(
    `the service was asked for rental ${rentalId} and responded with rental ${ids[0]}`,
    // The hint must not say that nothing was changed: the lookup may follow a create, or the termination of other
    // rentals.
    "",
  );
}

/** IDs that differ only in case or leading zeros are the same. */
const comparable = (id: string): string => id.toLowerCase().replace(/^0+(?=\d+$)/, "");

/** Paths where a record may hold its label: services name the field differently. */
export const labelPaths = ["label", "name", "meta.name"];

/** A record's label; undefined if it has none, or if the label is not text. */
export function labelOf(record: unknown): string | undefined {
  const label = firstAt(record, labelPaths);
  return typeof label === "string" && label !== "" ? label : undefined;
}

/** When a rental was created, in milliseconds since the epoch; undefined if its record does not say so. */
export const createdAtOf = (record: unknown): number | undefined =>
  parseTime(asText(firstAt(record, ["createdAt"])));

/**
 * Creation times that differ by at most this many milliseconds are the same: a service may write a time in two ways,
 * for example with and without seconds.
 */
export const creationTolerance = timeUnits[2].milliseconds;

/** Possible paths of the state of a rental. */
export const statePaths = ["status", "state"];

/** All states that a record names, in lower case, each once. For comparisons only. */
export function statesOf(rental: unknown): readonly string[] {
  if (!isRecord(rental)) return [];
  const named = statePaths.map((path) => rental[path]).filter((state) => typeof state === "string");
  const states = [...new Set(named.map((state) => state.toLowerCase()))];
  // `state` is the documented field. If it says that the rental is terminated, other fields do not matter.
  return /^terminated$/i.test(asText(rental.state)) ? ["terminated"] : states;
}
