import { UsageError } from "../core/errors.ts";
import { pathSegment } from "../core/urls.ts";
import type { DescribedOperation, DescribedParameter } from "./described.ts";
import type { Found, Named } from "./find.ts";

/** A request that is ready to send, and what it was built from. */
export interface DescribedRequest {
  readonly parts: {
    readonly method: string;
    readonly path: string;
    readonly host: "compute" | "inference";
    readonly open?: boolean | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly query: readonly (readonly [string, string])[];
    readonly body: string | undefined;
  };
  readonly operation: DescribedOperation | undefined;
  /** Values of the path, the query and the headers by name, as given. */
  readonly values: Readonly<Record<"path" | "query" | "header", Readonly<Record<string, unknown>>>>;
  /** Undefined without a body. */
  readonly body: unknown;
  /** False if the body is built from fields. */
  readonly wholeBody: boolean;
}

interface RequestInputs {
  readonly named: Named;
  readonly found: Found | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** A whole body, and its JSON text. */
  readonly whole?: { readonly value: unknown; readonly text: string } | undefined;
  /**
   * Advice for the user. `missing` is added to the message about a path parameter without a value. `key` is added to
   * the message for a field that would set the `Authorization` header, which carries the API key.
   */
  readonly advice?: { readonly missing: (name: string) => string; readonly key: string };
}

/**
 * Builds a request. Fields that are parameters of the path, the query or the headers are sent there. The other fields
 * form the body. If a whole body is given, or if the method is GET, HEAD or DELETE and the operation has no body, these
 * fields are added to the query instead.
 * Throws `UsageError` if a path parameter is missing or invalid, a header cannot be set, or a field is given twice.
 */
export function requestOf({
  named,
  found,
  fields,
  whole,
  advice = { missing: () => "", key: "" },
}: RequestInputs): DescribedRequest {
  const operation = found?.operation;
  const method = "id" in named ? (operation?.method ?? "GET") : named.method;
  const template = "id" in named ? (operation?.path ?? "/") : named.path;
  const names = [...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
  const declared = operation?.parameters.filter((parameter) => parameter.in === "query") ?? [];
  const bodiless = ["GET", "HEAD", "DELETE"].includes(method) && operation?.body === undefined;
  const path = byName(found?.pathValues);
  const query = byName("id" in named ? {} : queryFields(named.query));
  const header = byName();
  const rest = byName();
  for (const [name, value] of Object.entries(fields)) {
    const asHeader = headerNamed(operation, name, advice.key);
    if (names.includes(name)) path[name] = value;
    else if (declared.some((one) => one.name === name)) putIntoQuery(query, name, value);
    else if (asHeader !== undefined) {
      if (asHeader in header) throw givenTwice(asHeader);
      header[asHeader] = value;
    } else if (bodiless || whole !== undefined) {
      if (name in path) throw givenTwice(name);
      putIntoQuery(query, name, value);
    } else rest[name] = value;
  }
  const body = whole === undefined ? (Object.keys(rest).length > 0 ? rest : undefined) : whole.value;
  const needsBody = operation?.body?.required === true && !bodiless;
  const sent = body === undefined && needsBody ? {} : body;
  const filled = names.reduce(
    (text, name) => text.replace(`{${name}}`, () => segment(name, path[name], advice.missing)),
    template,
  );
  return {
    operation,
    values: { path, query, header },
    body: sent,
    wholeBody: whole !== undefined,
    parts: {
      method,
      path: filled,
      host: filled.startsWith("/v1/") ? "inference" : "compute",
      open: operation?.open,
      headers: headersOf(header),
      query: Object.entries(query).flatMap(([name, value]) => pairs(name, value)),
      body: sent === undefined ? undefined : (whole?.text ?? JSON.stringify(sent)),
    },
  };
}

/** Returns an object without a prototype, so that a name such as `__proto__` is an ordinary key. */
const byName = (values: object = {}): Record<string, unknown> => Object.assign(Object.create(null), values);

const givenTwice = (name: string): UsageError => new UsageError(`${name} is given twice`);

/** The names of the query parameters that a field becomes. */
const namesIn = (name: string, value: unknown): readonly string[] =>
  pairs(name, value).map(([written]) => written);

/** Adds a field to the query. Throws `UsageError` if the query already has it, or a parameter with one of its names. */
function putIntoQuery(query: Record<string, unknown>, name: string, value: unknown): void {
  const before = new Set(Object.entries(query).flatMap(([one, given]) => [one, ...namesIn(one, given)]));
  const duplicate = [name, ...namesIn(name, value)].find((one) => before.has(one));
  if (duplicate !== undefined) throw givenTwice(duplicate);
  query[name] = value;
}

/** The fields of a query. A name that occurs several times becomes a list. */
const queryFields = (query: URLSearchParams): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const all = query.getAll(name);
      return [name, all.length === 1 ? all[0] : all];
    }),
  );

/** Encodes a value as a path segment. Throws `UsageError` if it is missing or would change the path. */
function segment(name: string, value: unknown, advice: (name: string) => string): string {
  if (value === undefined) throw new UsageError(`the path needs ${name}${advice(name)}`);
  return pathSegment(name, value);
}

/** Converts a field to query parameters. A nested value gets the name `name[key]`. */
function pairs(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap((item) => pairs(name, item));
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => pairs(`${name}[${key}]`, inner));
  }
  return [[name, String(value)]];
}

/** Headers that gpuctl or the connection sets, even if a description declares them. */
export const reservedHeaders: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "authorization",
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
]);

/** Whether a parameter is a header that the user may not set. */
export const isReservedHeader = ({ in: place, name }: Pick<DescribedParameter, "in" | "name">): boolean =>
  place === "header" && reservedHeaders.has(name.toLowerCase());

/**
 * Returns the name of the described header that a field sets, or undefined if the field sets none. Throws `UsageError`
 * for a header that the user may not set.
 */
function headerNamed(
  operation: DescribedOperation | undefined,
  field: string,
  keyAdvice: string,
): string | undefined {
  const found = operation?.parameters.find(
    ({ in: place, name }) => place === "header" && name.toLowerCase() === field.toLowerCase(),
  );
  if (found && isReservedHeader(found)) {
    const advice = /^authorization$/i.test(field) ? keyAdvice : "";
    throw new UsageError(`${found.name} is a header that only gpuctl can set${advice}`);
  }
  return found?.name;
}

/** Formats values as headers. Throws `UsageError` for an invalid header value. */
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
