import { pathSegment } from "../core/urls.ts";
import type { DescribedOperation } from "./described.ts";
import { type Description, membersOf, merged } from "./document.ts";

/** Where an operation takes the id of the resource that it acts on. */
export interface IdParameter {
  readonly in: "path" | "query" | "body";
  readonly name: string;
  readonly list?: boolean;
  /** The type of the id in its schema. */
  readonly type?: unknown;
  /** Set if the name is only assumed, because the description does not say what the body holds. */
  readonly assumed?: true;
}

/** The names that the id may have. */
interface IdNames {
  /** The best name first. */
  readonly names: readonly RegExp[];
  /** The name to use if the description does not show the fields of the body. */
  readonly assumed: string;
}

/**
 * Finds where an operation takes the id. If the description does not show the fields of the body, assumes a field.
 * Undefined if the path has several parameters, or if the body has no field for an id or requires other fields.
 */
export function idParameter(
  description: Description,
  { path, parameters, body }: DescribedOperation,
  { names: like, assumed }: IdNames,
): IdParameter | undefined {
  const among = (names: readonly string[]) =>
    like.map((one) => names.find((name) => one.test(name))).find((name) => name !== undefined);
  const [inPath, ...more] = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
  if (inPath !== undefined) {
    return more.length > 0 ? undefined : { in: "path", name: inPath };
  }
  const inQuery = among(parameters.filter((one) => one.in === "query").map(({ name }) => name));
  if (inQuery !== undefined && body === undefined) return { in: "query", name: inQuery };
  const { properties, required } = membersOf(description, merged(description, body?.schema));
  const names = Object.keys(properties);
  if (names.length === 0) return { in: "body", name: assumed, assumed: true };
  const name = among(names);
  if (name === undefined || required.some((one) => one !== name)) return undefined;
  const schema = merged(description, properties[name]);
  const list = schema.type === "array" || (schema.type === undefined && /ids$/i.test(name));
  return { in: "body", name, list, type: (list ? merged(description, schema.items) : schema).type };
}

/**
 * Builds the request that calls an operation of the compute API with one id. Throws `UsageError` if the id cannot be in
 * a path.
 */
export function requestForId(
  { method, path, body }: DescribedOperation,
  { in: place, name, list, type }: IdParameter,
  id: string | number,
) {
  const request = { method, path, host: "compute" } as const;
  if (place === "path") {
    const filled = path.replace(`{${name}}`, () => pathSegment(name, id));
    return { ...request, path: filled, ...(body?.required && { body: "{}" }) };
  }
  if (place === "query") return { ...request, query: [[name, String(id)]] as const };
  const isNumber = type === "integer" || type === "number";
  const sent = isNumber ? numberOf(id) : type === "string" ? String(id) : id;
  return { ...request, body: JSON.stringify({ [name]: list ? [sent] : sent }) };
}

/** Converts an id such as `42` to a number, if a number holds it exactly. Returns any other id unchanged. */
const numberOf = (id: string | number): string | number =>
  /^[1-9]\d*$/.test(String(id)) && Number.isSafeInteger(Number(id)) ? Number(id) : id;
