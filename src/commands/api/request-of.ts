import type { DescribedOperation } from "../../client/described.ts";
import type { RequestParts } from "../../client/request.ts";
import { UsageError } from "../errors.ts";
import type { Found, Named } from "./find.ts";
import { headerNamed, headersOf } from "./headers.ts";

/** A call that is ready to be sent, and what it was made of. */
export interface Request {
  readonly parts: RequestParts;
  readonly operation: DescribedOperation | undefined;
  /** Values of the path, the query and the headers by name, as typed. */
  readonly values: Readonly<Record<"path" | "query" | "header", Readonly<Record<string, unknown>>>>;
  /** The body; nothing when there is none. */
  readonly body: unknown;
  /** The body was given as one, so no field is part of it. */
  readonly wholeBody: boolean;
}

export interface Given {
  readonly named: Named;
  readonly found: Found | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** A whole body, as JSON text. */
  readonly input: string | undefined;
}

/**
 * Puts the fields where they belong: into the path, into the query, the rest into the body, or into the query of a
 * request without one. Throws `UsageError` when the path stays incomplete, the input is no JSON, or a field is given twice.
 */
export function requestOf({ named, found, fields, input }: Given): Request {
  const operation = found?.operation;
  const method = "id" in named ? (operation?.method ?? "GET") : named.method;
  const typed = "id" in named ? (operation?.path ?? "/") : named.path;
  const blanks = [...typed.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
  const declared = operation?.parameters.filter((parameter) => parameter.in === "query") ?? [];
  const bodiless = ["GET", "HEAD", "DELETE"].includes(method) && operation?.body === undefined;
  const path = byName(found?.pathValues);
  const query = byName("id" in named ? {} : textQuery(named.query));
  const header = byName();
  const rest = byName();
  for (const [name, value] of Object.entries(fields)) {
    const asHeader = headerNamed(operation, name);
    if (blanks.includes(name)) path[name] = value;
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
  const filled = blanks.reduce((text, name) => text.replace(`{${name}}`, segment(name, path[name])), typed);
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

/** Without a prototype, so that every name is just a name. */
const byName = (values: object = {}): Record<string, unknown> => Object.assign(Object.create(null), values);

const givenTwice = (name: string): UsageError => new UsageError(`${name} is given twice`);

/** Adds a field. Throws `UsageError` when what is typed behind the path gives it as well. */
function putIntoQuery(query: Record<string, unknown>, name: string, value: unknown): void {
  const again = [name, ...pairs(name, value).map(([written]) => written)].find((one) => one in query);
  if (again !== undefined) throw givenTwice(again);
  query[name] = value;
}

/** A name that is there several times is a list. */
const textQuery = (query: URLSearchParams): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const all = query.getAll(name);
      return [name, all.length === 1 ? all[0] : all];
    }),
  );

/** A value as it stands in a path. One that would lead to another path is refused. */
function segment(name: string, value: unknown): string {
  if (value === undefined) throw new UsageError(`the path needs ${name}: give it with -f ${name}=VALUE`);
  const text = String(value);
  if (typeof value === "object" || text === "" || text === "." || text === "..") {
    throw new UsageError(`${name} cannot stand in a path: ${JSON.stringify(value)}`);
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
    throw new UsageError(`--input is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
