import { rentalStates, rentalTypes } from "../../contract/enums.ts";
import { asText, firstAt } from "../../core/json.ts";
import { createdAtOf, creationTolerance, labelOf, sameIdIn } from "../../core/responses/rental.ts";

export type RentalType = (typeof rentalTypes)[number];
const [bareMetal, virtualMachine] = rentalTypes;

/** Paths where the record of a rental may hold its type: services name the field differently. */
export const typePaths = ["rentalType", "machineType", "meta.rental_type"];

/** The type of a rental according to its record, whichever field holds it; undefined if it is missing or unknown. */
export function rentalTypeOf(record: unknown): RentalType | undefined {
  const type = asText(firstAt(record, typePaths));
  if (/bare/i.test(type)) return bareMetal;
  return /virtual|^vm/i.test(type) ? virtualMachine : undefined;
}

/** A rental of a list, with the type of the list. */
interface ListedRental {
  readonly record: unknown;
  readonly type: RentalType;
}

/**
 * The type of an active rental whose record does not state it, according to the lists of active rentals. A virtual
 * machine and a bare-metal rental may have the same ID. If the lists have both, or if a list is missing, only a record
 * that is known to be of this rental counts. If the type is not certain, throws the error of the missing list, or
 * returns undefined if no list is missing.
 */
export function listedTypeOf(
  rental: unknown,
  id: string,
  lists: readonly PromiseSettledResult<readonly ListedRental[]>[],
): RentalType | undefined {
  const listed = lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  const failed = lists.find((list) => list.status === "rejected");
  const withId = listed.filter(({ record }) => sameIdIn(record, id) !== undefined);
  const isUnique = !failed && new Set(withId.map(({ type }) => type)).size === 1;
  const own = isUnique ? withId : withId.filter(({ record }) => isSameRental(record, rental));
  const [type, ...others] = new Set(own.map((one) => one.type));
  if (type !== undefined && others.length === 0) return type;
  if (failed) throw failed.reason;
  return undefined;
}

/**
 * Whether two records with the same ID are known to be of one rental: both have a creation time, or both have a label,
 * and neither the times nor the labels differ.
 */
function isSameRental(one: unknown, other: unknown): boolean {
  const times = [createdAtOf(one), createdAtOf(other)].filter((time) => time !== undefined);
  const labels = [labelOf(one), labelOf(other)].filter((label) => label !== undefined);
  const [first = 0, second = first] = times;
  if (Math.abs(first - second) > creationTolerance || new Set(labels).size > 1) return false;
  return times.length === 2 || labels.length === 2;
}

/**
 * Whether a record says that the rental has ended. The service documents `state`; if it is missing, `status` counts.
 */
export const hasEnded = (record: unknown): boolean =>
  asText(firstAt(record, ["state", "status"])).toLowerCase() === "terminated";

const [, terminated] = rentalStates;
const endingStates: ReadonlySet<string> = new Set([terminated, "terminating"]);

/**
 * Whether a state, in lower case, is that of a rental that has ended or is ending. A state such as `termination_failed`
 * is not: the rental is billed until it is terminated again.
 */
export const isEnding = (state: string): boolean => endingStates.has(state);
