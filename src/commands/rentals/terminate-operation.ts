import { type DescribedOperation, describedOperations } from "../../client/described.ts";
import type { Description } from "../../client/document.ts";
import { NotOffered } from "../errors.ts";
import type { RentalType } from "./rental-type.ts";
import { placeOfId } from "./terminate-request.ts";

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
    .filter((operation) => ends(operation) && placeOfId(description, operation) !== undefined)
    .map((operation) => ({ operation, type: typeNamedBy(`${operation.path} ${operation.id}`) }));
  if (found.length > 0) return found;
  throw new NotOffered(
    "the service lists no operation that ends a rental",
    "End it in the service's dashboard. `gpuctl api list` shows what the service offers; `gpuctl api spec --refresh` asks it anew.",
  );
}

/** Names of what is about ending rentals but does not end one. */
const somethingElse = /protect|cancel|undo|schedul|\ball\b|terminate-?all|all-?rentals/i;

function ends({ method, path, id }: DescribedOperation): boolean {
  if (method === "GET" || method === "HEAD") return false;
  const names = `${path} ${id}`;
  if (somethingElse.test(names)) return false;
  const terminates = /terminate(?!d)/i.test(names) && /rental|instance|machine/i.test(names);
  return terminates || (method === "DELETE" && /\/[\w-]*rentals?\/\{[^{}/]+\}$/i.test(path));
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
