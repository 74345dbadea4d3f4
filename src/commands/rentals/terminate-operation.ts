import { type DescribedOperation, describedOperations } from "../../client/described.ts";
import { type Description, isObject } from "../../client/document.ts";
import { resolved } from "../../client/reference.ts";
import type { RequestParts } from "../../client/request.ts";
import { NotOffered } from "../errors.ts";
import type { RentalType } from "./rental-type.ts";

/** What ends a rental, by the type that its path or its id names; one that names none ends either. */
export interface Terminate {
  readonly operation: DescribedOperation;
  readonly type: RentalType | undefined;
}

const says: Readonly<Record<RentalType, RegExp>> = {
  vm: /virtual-?machine|\bvms?\b|[a-z]Vm|^vm/i,
  "bare-metal": /bare-?metal/i,
};

/** The listed operations that end a rental. Throws `NotOffered` when there is none. */
export function terminateOperations(description: Description): readonly Terminate[] {
  const found = describedOperations(description)
    .filter(({ method, path, id }) => {
      if (method === "GET" || method === "HEAD") return false;
      const ends = /terminat/i.test(`${path} ${id}`) && /rental|instance|machine/i.test(`${path} ${id}`);
      return ends || (method === "DELETE" && /\/[\w-]*rentals?\/\{[^{}/]+\}$/i.test(path));
    })
    .map((operation) => ({ operation, type: typeNamedBy(`${operation.path} ${operation.id}`) }));
  if (found.length > 0) return found;
  throw new NotOffered(
    "the service lists no operation that ends a rental",
    "End it in the service's dashboard. `gpuctl api list` shows what the service offers; `gpuctl api spec --refresh` asks it anew.",
  );
}

const typeNamedBy = (text: string): RentalType | undefined =>
  (["vm", "bare-metal"] as const).find((type) => says[type].test(text));

/** The operation for a rental of a type: its own, else one for any. Nothing when only others have one. */
export const terminateFor = (
  operations: readonly Terminate[],
  type: RentalType | undefined,
): DescribedOperation | undefined =>
  [
    operations.find((one) => type !== undefined && one.type === type),
    operations.find((one) => one.type === undefined),
    type === undefined && operations.length === 1 ? operations[0] : undefined,
  ].find((one) => one !== undefined)?.operation;

/** The request that ends a rental; its id goes into the path, or into the field of the body that is named for it. */
export function terminateRequest(
  description: Description,
  { method, path, body, parameters }: DescribedOperation,
  id: string | number,
): RequestParts {
  const filled = path.replace(/\{[^{}]+\}/, encodeURIComponent(id));
  if (filled !== path)
    return { method, path: filled, host: "compute", ...(body?.required && { body: "{}" }) };
  const inQuery = parameters.find(
    ({ name, in: place }) => place === "query" && /^(rental_?)?id$/i.test(name),
  );
  if (inQuery && !body) return { method, path, host: "compute", query: [[inQuery.name, String(id)]] };
  const schema = resolved(description, body?.schema);
  const names = Object.keys(isObject(schema) && isObject(schema.properties) ? schema.properties : {});
  const one = names.find((name) => /^rental_?id$/i.test(name)) ?? names.find((name) => name === "id");
  const many = names.find((name) => /^(rental_?)?ids$/i.test(name));
  const fields = one === undefined && many !== undefined ? { [many]: [id] } : { [one ?? "rentalId"]: id };
  return { method, path, host: "compute", body: JSON.stringify(fields) };
}
