import type { RequestParts } from "../../../client/request.ts";
import { parseId } from "../../../command-kit/values.ts";
import { rentalTypes } from "../../../contract/enums.ts";
import { NotOffered } from "../../../core/errors.ts";
import { type DescribedOperation, describedOperations } from "../../../openapi/described.ts";
import { type Description, membersOf, merged } from "../../../openapi/document.ts";
import type { RentalType } from "../listing.ts";

/** An operation that terminates rentals of `type`, which its path or its id names; undefined for any type. */
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
    const parameter = idParameter(description, operation);
    if (parameter === undefined || !terminates(operation, parameter)) return [];
    const type = types.find((one) => typeNames[one].test(`${operation.path} ${operation.id}`));
    return [{ operation, type, parameter }];
  });
  if (found.length > 0) return found;
  throw new NotOffered(
    "the service lists no operation to terminate a rental",
    "Terminate it in the service's dashboard. `gpuctl api list` shows what the service offers; `gpuctl api spec --refresh` fetches its description again.",
  );
}

/**
 * Returns the operation for a type of rental, or else the operation for any type; none when only the other type has
 * one. For an unknown type, returns the operation for any type, or else one operation for each type.
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
 * Path segments of operations that terminate rentals. A similar path may terminate something else, or only check
 * whether it can.
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
    const namesRental = id !== assumedField && rentalIdName.test(id.name);
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

/** Where an operation takes the id of a rental. */
interface IdParameter {
  readonly in: "path" | "query" | "body";
  readonly name: string;
  readonly list?: boolean;
  /** The type in its schema. */
  readonly type?: unknown;
}

/** Used when the description does not say what the body holds. */
const assumedField: IdParameter = { in: "body", name: "rentalId" };

const rentalIdName = /^(rental|instance|machine|vm)_?ids?$/i;
const idNames = [rentalIdName, /^ids?$/i];

/** Finds where an operation takes the id; undefined when it takes none, or requires more than an id. */
function idParameter(
  description: Description,
  { path, parameters, body }: DescribedOperation,
): IdParameter | undefined {
  const [inPath, ...more] = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
  if (inPath !== undefined) {
    return more.length > 0 ? undefined : { in: "path", name: inPath };
  }
  const inQuery = idNameAmong(parameters.filter((one) => one.in === "query").map(({ name }) => name));
  if (inQuery !== undefined && body === undefined) return { in: "query", name: inQuery };
  const { properties, required } = membersOf(description, merged(description, body?.schema));
  const names = Object.keys(properties);
  if (names.length === 0) return assumedField;
  const name = idNameAmong(names);
  if (name === undefined || required.some((one) => one !== name)) return undefined;
  const schema = merged(description, properties[name]);
  const list = schema.type === "array" || (schema.type === undefined && /ids$/i.test(name));
  return { in: "body", name, list, type: (list ? merged(description, schema.items) : schema).type };
}

const idNameAmong = (names: readonly string[]): string | undefined =>
  idNames.map((like) => names.find((name) => like.test(name))).find((name) => name !== undefined);

/** The request that terminates a rental. */
export function terminateRequest(
  { operation: { method, path, body }, parameter: { in: place, name, list, type } }: TerminateOperation,
  id: string | number,
): RequestParts {
  const request = { method, path, host: "compute" } as const;
  if (place === "path") {
    const filled = path.replace(`{${name}}`, () => encodeURIComponent(id));
    return { ...request, path: filled, ...(body?.required && { body: "{}" }) };
  }
  if (place === "query") return { ...request, query: [[name, String(id)]] };
  const isNumber = type === "integer" || type === "number";
  const sent = isNumber ? parseId(String(id)) : type === "string" ? String(id) : id;
  return { ...request, body: JSON.stringify({ [name]: list ? [sent] : sent }) };
}
