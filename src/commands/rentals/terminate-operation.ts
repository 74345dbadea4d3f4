import { type DescribedOperation, describedOperations } from "../../client/described.ts";
import type { Description } from "../../client/document.ts";
import { NotOffered } from "../errors.ts";
import type { RentalType } from "./rental-type.ts";
import { type PlaceOfId, placeOfId } from "./terminate-request.ts";

/** What ends a rental, by the type that its path or its id names; one that names none ends either. */
export interface Terminate {
  readonly operation: DescribedOperation;
  readonly type: RentalType | undefined;
}

const says: Readonly<Record<RentalType, RegExp>> = {
  vm: /virtual-?machine|\bvms?\b|[a-z]Vm|^vm/i,
  "bare-metal": /bare-?metal/i,
};

/** The listed operations that end one rental by its id. Throws `NotOffered` when there is none. */
export function terminateOperations(description: Description): readonly Terminate[] {
  const found = describedOperations(description)
    .filter((operation) => ends(operation, placeOfId(description, operation)))
    .map((operation) => ({ operation, type: typeNamedBy(`${operation.path} ${operation.id}`) }));
  if (found.length > 0) return found;
  throw new NotOffered(
    "the service lists no operation that ends a rental",
    "End it in the service's dashboard. `gpuctl api list` shows what the service offers; `gpuctl api spec --refresh` asks it anew.",
  );
}

/** Parts of a path. What looks alike may end something else, end nothing, or only ask whether it could be done. */
const rentals =
  /^(?:(?:active|bare-metal|gpu|on-demand|virtual(?:-machine)?|vm)-)*(?:rental|instance|machine|vm)s?$/i;
const terminate = /^terminate(-(?:rental|instance|machine|vm))?$/i;
const general = /^(?:v\d+|api|cloud|compute|gpus?|on-demand)$/i;

/** Whether an operation does nothing but end the rental whose id it takes at a place. */
function ends({ method, path }: DescribedOperation, place: PlaceOfId | undefined): boolean {
  if (method === "GET" || method === "HEAD" || place === undefined) return false;
  const parts = path.split("/").slice(1);
  const last = parts.at(-1) ?? "";
  if (place.in !== "path") {
    const isOfRentals = rentals.test(parts.at(-2) ?? "") || place.namesRental;
    return terminate.test(last) && (isOfRentals || /-/.test(last));
  }
  const blank = `{${place.name}}`;
  const [before, after] = [parts.slice(0, parts.indexOf(blank)), parts.slice(parts.indexOf(blank) + 1)];
  if (!parts.includes(blank) || !rentals.test(before.at(-1) ?? "")) return false;
  if (after.length === 1) return terminate.test(last);
  return after.length === 0 && method === "DELETE" && before.slice(0, -1).every((part) => general.test(part));
}

const types = ["vm", "bare-metal"] as const;

const typeNamedBy = (text: string): RentalType | undefined => types.find((type) => says[type].test(text));

/**
 * The operations that may end a rental: that of its type, else one for any. While the type is not known these are
 * several where it matters; none when only rentals of another type can be ended.
 */
export function terminateFor(
  operations: readonly Terminate[],
  type: RentalType | undefined,
): readonly DescribedOperation[] {
  const of = (wanted: RentalType | undefined) => operations.find((one) => one.type === wanted)?.operation;
  const any = of(undefined);
  const own = type && of(type);
  if (own || any) return [own ?? any].filter((one) => one !== undefined);
  return type ? [] : types.map(of).filter((one) => one !== undefined);
}
