import type { DescribedOperation } from "../../client/described.ts";
import type { Description } from "../../client/document.ts";
import type { RequestParts } from "../../client/request.ts";
import { membersOf, merged } from "../api/schema-fields.ts";

/** Where an operation takes the id of a rental; `as` is the kind of value that it says it takes. */
export interface PlaceOfId {
  readonly in: "path" | "query" | "body";
  readonly name: string;
  /** The description itself calls it the id of a rental. */
  readonly namesRental: boolean;
  readonly list?: boolean;
  readonly as?: "number" | "text" | undefined;
}

/** What the field is called where the description does not say what the body holds. */
const assumed: PlaceOfId = { in: "body", name: "rentalId", namesRental: false };

const rentalId = /^(rental|instance|machine|vm)_?ids?$/i;
const oneId = [rentalId, /^ids?$/i];

/** Nothing when it takes no id, or needs more to know which rental is meant. */
export function placeOfId(
  description: Description,
  { path, parameters, body }: DescribedOperation,
): PlaceOfId | undefined {
  const blanks = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
  if (blanks.length > 0) {
    const [name = "", ...more] = blanks;
    return more.length === 0 ? { in: "path", name, namesRental: rentalId.test(name) } : undefined;
  }
  const query = parameters.filter((one) => one.in === "query").map(({ name }) => name);
  const inQuery = named(query);
  if (inQuery !== undefined && body === undefined)
    return { in: "query", name: inQuery, namesRental: rentalId.test(inQuery) };
  const { properties, required } = membersOf(description, merged(description, body?.schema));
  const names = Object.keys(properties);
  if (names.length === 0) return assumed;
  const name = named(names);
  if (name === undefined || required.some((one) => one !== name)) return undefined;
  const schema = merged(description, properties[name]);
  const list = schema.type === "array" || (schema.type === undefined && /ids$/i.test(name));
  const item = list ? merged(description, schema.items) : schema;
  return { in: "body", name, namesRental: rentalId.test(name), list, as: kinds[String(item.type)] };
}

const named = (names: readonly string[]): string | undefined =>
  oneId.map((like) => names.find((name) => like.test(name))).find((name) => name !== undefined);

const kinds: Readonly<Record<string, PlaceOfId["as"]>> = {
  integer: "number",
  number: "number",
  string: "text",
};

/** The request that ends a rental: its id stands where the operation takes it. */
export function terminateRequest(
  description: Description,
  operation: DescribedOperation,
  id: string | number,
): RequestParts {
  const { method, path, body } = operation;
  const place = placeOfId(description, operation) ?? assumed;
  const request = { method, path, host: "compute" } as const;
  if (place.in === "path") {
    const filled = path.replace(`{${place.name}}`, () => encodeURIComponent(id));
    return { ...request, path: filled, ...(body?.required && { body: "{}" }) };
  }
  if (place.in === "query") return { ...request, query: [[place.name, String(id)]] };
  const value = { number: asNumber, text: String }[place.as ?? "number"];
  const sent = place.as === undefined ? id : value(id);
  return { ...request, body: JSON.stringify({ [place.name]: place.list ? [sent] : sent }) };
}

/** A text of digits as the number that it says, where that is exact. */
const asNumber = (id: string | number): string | number =>
  /^[1-9]\d*$/.test(String(id)) && Number.isSafeInteger(Number(id)) ? Number(id) : id;
