import { rentalTypes } from "../contract/enums.ts";
import { NotOffered } from "../core/errors.ts";
import { type DescribedOperation, describedOperations } from "./described.ts";
import type { Description } from "./document.ts";
import { type IdParameter, idParameter } from "./id-parameter.ts";

type RentalType = (typeof rentalTypes)[number];

/**
 * An operation that terminates rentals. `type` is the rental type that the operation's path or id names; undefined if
 * the operation terminates rentals of any type.
 */
export interface TerminateOperation {
  readonly operation: DescribedOperation;
  readonly type: RentalType | undefined;
  readonly parameter: IdParameter;
}

const typeNames: Readonly<Record<RentalType, RegExp>> = {
  "virtual-machine": /virtual-?machine|\bvms?\b|[a-z]Vm|^vm/i,
  "bare-metal": /bare-?metal/i,
};

/** Virtual machines first: an operation that names both types counts as one for virtual machines. */
const types = rentalTypes.toReversed();

/** The listed operations that terminate one rental by its id. Throws `NotOffered` when there is none. */
export function terminateOperations(description: Description): readonly TerminateOperation[] {
  const found = describedOperations(description).flatMap((operation) => {
    const parameter = idParameter(description, operation, rentalIds);
    if (parameter === undefined || !terminates(operation, parameter)) return [];
    const type = types.find((one) => typeNames[one].test(`${operation.path} ${operation.id}`));
    return [{ operation, type, parameter }];
  });
  if (found.length > 0) return found;
  throw new NotOffered(
    "the service lists no operation to terminate a rental",
    "Terminate the rental in the service's dashboard. `gpuctl api list` shows what the service offers; `gpuctl api spec --refresh` fetches its description again.",
  );
}

/**
 * Returns the operation for a type of rental, or else the operation for any type. Returns none if only the other type
 * has an operation. If the type is unknown, returns the operation for any type, or else one operation for each type.
 */
export function terminateOperationsFor(
  type: RentalType | undefined,
  operations: readonly TerminateOperation[],
): readonly TerminateOperation[] {
  const of = (wanted: RentalType | undefined) => operations.find((one) => one.type === wanted);
  const one = (type && of(type)) ?? of(undefined);
  if (one) return [one];
  return type ? [] : types.map(of).filter((own) => own !== undefined);
}

/**
 * Path segments of operations that terminate rentals. An operation with a similar path may terminate something else, or
 * only check whether a rental can be terminated.
 */
const rentalsSegment =
  /^(?:(?:active|bare-metal|gpu|on-demand|virtual(?:-machine)?|vm)-)*(?:rental|instance|machine|vm)s?$/i;
const terminateSegment = /^terminate(-(?:rental|instance|machine|vm))?$/i;
const generalSegment = /^(?:v\d+|api|cloud|compute|gpus?|on-demand)$/i;

/** Whether an operation terminates the rental whose id it takes, and does nothing else. */
function terminates({ method, path }: DescribedOperation, id: IdParameter): boolean {
  if (method === "GET" || method === "HEAD") return false;
  const segments = path.split("/").slice(1);
  const last = segments.at(-1) ?? "";
  if (id.in !== "path") {
    const namesRental = id.assumed !== true && rentalIdName.test(id.name);
    const ofRentals = rentalsSegment.test(segments.at(-2) ?? "") || namesRental || last.includes("-");
    return ofRentals && terminateSegment.test(last);
  }
  const at = segments.indexOf(`{${id.name}}`);
  const [before, after] = [segments.slice(0, at), segments.slice(at + 1)];
  if (at < 0 || !rentalsSegment.test(before.at(-1) ?? "")) return false;
  if (after.length === 1) return terminateSegment.test(last);
  const general = before.slice(0, -1).every((segment) => generalSegment.test(segment));
  return after.length === 0 && method === "DELETE" && general;
}

const rentalIdName = /^(rental|instance|machine|vm)_?ids?$/i;
/** The names that the field of the id may have, and the name to assume if the description shows no fields. */
const rentalIds = { names: [rentalIdName, /^ids?$/i], assumed: "rentalId" };
