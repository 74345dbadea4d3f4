import type { RequestParts } from "../../client/request.ts";
import { reasonOf, UsageError } from "../../core/errors.ts";
import type { DescribedOperation, DescribedParameter } from "../../openapi/described.ts";
import type { Found, Named } from "./find.ts";

/** A request that is ready to send, and what it was built from. */
export interface Request {
  readonly parts: RequestParts;
  readonly operation: DescribedOperation | undefined;
  /** Values of the path, the query and the headers by name, as typed. */
  readonly values: Readonly<Record<"path" | "query" | "header", Readonly<Record<string, unknown>>>>;
  /** Undefined without a body. */
  readonly body: unknown;
  /** The body was given as a whole, not as fields. */
  readonly wholeBody: boolean;
}

interface RequestInputs {
  readonly named: Named;
  readonly found: Found | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** A whole body, as JSON text. */
  readonly input: string | undefined;
}

/**
 * Puts the fields where they belong: into the path, into the query, the rest into the body, or into the query of a
 * request without one. Throws `UsageError` when the path stays incomplete, the input is not JSON, or a field is given twice.
 */
export function requestOf({ named, found, fields, input }: RequestInputs): Request {
  const operation = found?.operation;
  const method = "id" in named ? (operation?.method ?? "GET") : named.method;
  const template = "id" in named ? (operation?.path ?? "/") : named.path;
  const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
  const declared = operation?.parameters.filter((parameter) => parameter.in === "query") ?? [];
  const bodiless = ["GET", "HEAD", "DELETE"].includes(method) && operation?.body === undefined;
  const path = byName(found?.pathValues);
  const query = byName("id" in named ? {} : textQuery(named.query));
  const header = byName();
  const rest = byName();
  for (const [name, value] of Object.entries(fields)) {
    const asHeader = headerNamed(operation, name);
    if (names.includes(name)) path[name] = value;
    else if (declared.some((one) => one.name === name)) putIntoQuery(query, name, value);
    else if (asHeader !== undefined) {
      if (asHeader in header) throw givenTwice(asHeader);
      header[asHeader] = value;
    } else if (bodiless || input !== undefined) {
      if (name in path) throw givenTwice(name);
      putIntoQuery(query, name, value);
    } else rest[name] = value;
  }
  const body = input === undefined ? (Object.keys(rest).length > 0 ? rest : undefined) : parsed(input);
  const needsBody = operation?.body?.required === true && !bodiless;
  const sent = body === undefined && needsBody ? {} : body;
  const filled = names.reduce((text, name) => text.replace(`{${name}}`, segment(name, path[name])), template);
  return {
    operation,
    values: { path, query, header },
    body: sent,
    wholeBody: input !== undefined,
    parts: {
      method,
      path: filled,
      host: filled.startsWith("/v1/") ? "inference" : "compute",
      open: operation?.open,
      headers: headersOf(header),
      query: Object.entries(query).flatMap(([name, value]) => pairs(name, value)),
      body: sent === undefined ? undefined : (input ?? JSON.stringify(sent)),
    },
  };
}

/** Whether a request may destroy something, judged by its method and its names. */
export const destroys = ({ method, path, id = "" }: { method: string; path: string; id?: string }): boolean =>
  method === "DELETE" ||
  (method !== "GET" && method !== "HEAD" && /terminat|delete|revoke|destroy|remove/i.test(`${id} ${path}`));

/** Without a prototype, so that every name is just a name. */
const byName = (values: object = {}): Record<string, unknown> => Object.assign(Object.create(null), values);

const givenTwice = (name: string): UsageError => new UsageError(`${name} is given twice`);

/** Adds a field. Throws `UsageError` when the query of the path sets it as well. */
function putIntoQuery(query: Record<string, unknown>, name: string, value: unknown): void {
  const duplicate = [name, ...pairs(name, value).map(([written]) => written)].find((one) => one in query);
  if (duplicate !== undefined) throw givenTwice(duplicate);
  query[name] = value;
}

/** A name that occurs several times becomes a list. */
const textQuery = (query: URLSearchParams): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const all = query.getAll(name);
      return [name, all.length === 1 ? all[0] : all];
    }),
  );

/** Encodes a value as a path segment. Throws `UsageError` for one that would change the path. */
function segment(name: string, value: unknown): string {
  if (value === undefined) throw new UsageError(`the path needs ${name}: pass it with -f ${name}=VALUE`);
  const text = String(value);
  if (typeof value === "object" || text === "" || text === "." || text === "..") {
    throw new UsageError(`${name} cannot be used in a path: ${JSON.stringify(value)}`);
  }
  return encodeURIComponent(text);
}

function pairs(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap((item) => pairs(name, item));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => pairs(`${name}[${key}]`, inner));
  }
  return [[name, String(value)]];
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch (error) {
    throw new UsageError(`--input is not JSON: ${reasonOf(error)}`);
  }
}

/** Headers that gpuctl or the connection sets, even if a description declares them. */
const ownHeaders: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "authorization",
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
]);

/** Whether the user may not set a parameter of a description. */
export const isOwn = ({ in: place, name }: Pick<DescribedParameter, "in" | "name">): boolean =>
  place === "header" && ownHeaders.has(name.toLowerCase());

/**
 * The header that a field gives, as the description writes it; undefined for any other field. Throws `UsageError`
 * for one that the user may not set.
 */
function headerNamed(operation: DescribedOperation | undefined, field: string): string | undefined {
  const found = operation?.parameters.find(
    ({ in: place, name }) => place === "header" && name.toLowerCase() === field.toLowerCase(),
  );
  if (found && isOwn(found)) {
    const advice = /^authorization$/i.test(field) ? ": use `gpuctl auth login` or GPUCTL_API_KEY" : "";
    throw new UsageError(`${found.name} is a header that gpuctl sends itself${advice}`);
  }
  return found?.name;
}

/** Values as headers. Throws `UsageError` for an invalid header value. */
const headersOf = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, headerText(name, value)]));

function headerText(name: string, value: unknown): string {
  const parts = Array.isArray(value) ? value : [value];
  const text = parts.map(String).join(",");
  if (parts.some((part) => typeof part === "object") || !/^[\t\x20-\x7e]*$/.test(text)) {
    throw new UsageError(`${name} cannot be sent in a header: ${JSON.stringify(value)}`);
  }
  return text;
}
