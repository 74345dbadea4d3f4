import { fieldsOf } from "../../contract/plain/fields.ts";
import { isNestedBeyond, isRecord } from "../../core/json.ts";
import { callerHeader, requestLog } from "../../core/sandbox.ts";
import { type ServedId, servedOperations } from "../assumed/index.ts";
import { stamp } from "../clock.ts";
import type { Exchange, PlainRequest, PlainResponse } from "../http/exchange.ts";
import { callerOf, secretsOf } from "../keys.ts";
import type { Queries, Row, Store } from "../store/queries.ts";

/** A request that the sandbox received. Keys in it are hidden. */
interface LoggedRequest {
  /** The sandbox's time, ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** The path and the query. The values of unknown query fields are hidden. */
  readonly path: string;
  /** Null when no operation with this method and path is served. */
  readonly operation: string | null;
  /** The header `Gpuctl-Sandbox-Caller`. */
  readonly caller: string | null;
  /** The name of the API key; null when it is unknown or missing. */
  readonly key: string | null;
  /** The known fields of the query or the path. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The body. A string if it is not JSON; null if there is no body, or if it is not stored. */
  readonly body: unknown;
  /** Whether the body is not stored, or texts in it were shortened. */
  readonly bodyTruncated: boolean;
  /** Null when the connection was broken. */
  readonly status: number | null;
  /** The id of the fault that was applied. */
  readonly fault: number | null;
  /** The error code of the response. */
  readonly code: string | null;
  /** The dotted paths of the error's issues. */
  readonly issues: readonly string[];
  /** The body of the response. A string if it is not JSON; null if there is none, or if it is not stored. */
  readonly response: unknown;
  /** Whether the response is not stored, because it is too long, a stream, or not text. */
  readonly responseTruncated: boolean;
}

export interface NumberedRequest extends LoggedRequest {
  /** Counts up from 1 after a reset. */
  readonly number: number;
}

/**
 * Logs a request. `response` is undefined if the connection was broken. A failure to log does not affect the response.
 */
export async function logRequest(
  store: Store,
  exchange: Exchange,
  response: PlainResponse | undefined,
): Promise<void> {
  try {
    const clean = cleaner([bearer(exchange.request), ...secretsOf(store)]);
    addRequest(store, {
      ...entry(store, exchange, response?.status ?? null, clean),
      ...(await sent(exchange, clean)),
      ...received(exchange, response, clean),
    });
  } catch {
    // The response is more important than its entry in the log.
  }
}

type Clean = (text: string) => string;
type Sent = Pick<LoggedRequest, "parameters" | "body" | "bodyTruncated">;
type Received = Pick<LoggedRequest, "response" | "responseTruncated">;

const entry = (
  store: Store,
  { request, path, now, operation, keyName, fault, problem }: Exchange,
  status: number | null,
  clean: Clean,
): Omit<LoggedRequest, keyof Sent | keyof Received> => ({
  time: stamp(now),
  method: request.method,
  path: clean(path + knownQuery(new URL(request.url).searchParams, operation)),
  operation: operation ?? null,
  caller: clean(request.header(callerHeader.toLowerCase()) ?? "") || null,
  key: keyName ?? callerOf(store, request.header("authorization"))?.keyName ?? null,
  status,
  fault: fault ?? null,
  code: problem?.code ?? null,
  issues: (problem?.issues ?? []).flatMap(pathOf).map(clean),
});

/** A query without the values of unknown fields, which may be secret. */
function knownQuery(query: URLSearchParams, operation: ServedId | undefined): string {
  if (query.size === 0) return "";
  const known = new Set(
    operation === undefined ? [] : fieldsOf(servedOperations[operation].input).map(({ name }) => name),
  );
  const shown = [...query].map(([name, value]): [string, string] => [name, known.has(name) ? value : "..."]);
  return `?${new URLSearchParams(shown)}`;
}

function pathOf(issue: unknown): readonly string[] {
  const path = typeof issue === "object" && issue !== null && "path" in issue ? issue.path : undefined;
  return Array.isArray(path) && path.length > 0 ? [path.join(".")] : [];
}

/** What a request sent, in the form in which it is stored. */
async function sent({ request, operation, input }: Exchange, clean: Clean): Promise<Sent> {
  const parameters = operation !== undefined && servedOperations[operation].in !== "body" ? input : undefined;
  const body = await bodyOf(request, parameters === undefined ? input : undefined);
  const stored = storable(body, clean);
  return {
    parameters: isRecord(parameters) ? { ...Object(storable(parameters, clean).value) } : {},
    body: stored.value ?? null,
    bodyTruncated: stored.isTruncated,
  };
}

/** What the client received, in the form in which it is stored. */
function received({ request }: Exchange, response: PlainResponse | undefined, clean: Clean): Received {
  const body = request.method === "HEAD" ? null : (response?.body ?? null);
  if (body === null) return { response: null, responseTruncated: false };
  if (typeof body !== "string" || body.length > requestLog.maxResponseLength) {
    return { response: null, responseTruncated: true };
  }
  return { response: jsonOrText(clean(body)), responseTruncated: false };
}

const unread = Symbol("a body that was not read");

/**
 * Returns the body. If the request was refused before its body was read, reads the body now, unless it may be large.
 */
async function bodyOf(request: PlainRequest, input: unknown): Promise<unknown> {
  if (input !== undefined) return input;
  if (request.method === "GET" || request.method === "HEAD") return undefined;
  const length = Number(request.header("content-length") ?? 0);
  if (length > requestLog.maxBodyLength || request.header("transfer-encoding") !== undefined) return unread;
  const text = await request.text().catch(() => undefined);
  if (text === undefined) return unread;
  return text === "" ? undefined : jsonOrText(text);
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const maxNesting = 64;

/** A value without secrets, with long texts shortened. Undefined if it is unread, too deeply nested or too large. */
function storable(value: unknown, clean: Clean): { readonly value: unknown; readonly isTruncated: boolean } {
  if (value === unread || isNestedBeyond(value, maxNesting)) return { value: undefined, isTruncated: true };
  let isTruncated = false;
  const text = (one: string): string => {
    if (one.length <= requestLog.maxTextLength) return clean(one);
    isTruncated = true;
    // Removes secrets before it shortens the text: a secret that is cut in two would not be found.
    return `${clean(one).slice(0, requestLog.maxTextLength)}...`;
  };
  const copy = (one: unknown): unknown => {
    if (typeof one === "string") return text(one);
    if (Array.isArray(one)) return one.map(copy);
    if (!isRecord(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, field]) => [
        text(name),
        typeof field === "string" && secretName.test(name) ? hidden : copy(field),
      ]),
    );
  };
  const copied = copy(value);
  const isTooLarge = (JSON.stringify(copied) ?? "").length > requestLog.maxBodyLength;
  return isTooLarge ? { value: undefined, isTruncated: true } : { value: copied, isTruncated };
}

const hidden = "...";

/** Names of fields that hold a secret. */
const secretName = /^(authorization|(access|auth|bearer)?[-_]?token|password|.*secret|.*api[-_]?key)$/i;

const bearer = (request: PlainRequest): string =>
  /^\S+ +(\S+)/.exec(request.header("authorization") ?? "")?.[1] ?? "";

/** Shorter secrets are not removed, because they may be parts of words. */
export const minSecretLength = 8;

/** Returns a function that removes keys from a text, even if they are escaped for a URL or for JSON. */
function cleaner(secrets: readonly string[]): Clean {
  const longEnough = secrets.filter(({ length }) => length >= minSecretLength);
  const spellings = new Set(longEnough);
  for (const secret of longEnough) {
    spellings.add(encodeURIComponent(secret)).add(JSON.stringify(secret).slice(1, -1));
  }
  return (text) => {
    let cleaned = text;
    for (const spelling of spellings) cleaned = cleaned.replaceAll(spelling, hidden);
    return cleaned;
  };
}

/** Adds a request, and removes the oldest requests if there are too many. */
function addRequest(store: Store, request: LoggedRequest): void {
  store.write(() => {
    const number = store.run("INSERT INTO requests (record) VALUES (?)", JSON.stringify(request));
    store.run("DELETE FROM requests WHERE number <= ?", number - requestLog.kept);
  });
}

/** All requests in the log, oldest first. */
export const allRequests = (store: Store): readonly NumberedRequest[] =>
  store.all("SELECT number, record FROM requests ORDER BY number").map(numbered);

const numbered = ({ number, record }: Row): NumberedRequest => ({
  ...blank,
  ...JSON.parse(String(record)),
  number: Number(number),
});

/** Defaults for fields that are missing from requests that an earlier version logged. */
const blank = {
  caller: null,
  key: null,
  parameters: {},
  body: null,
  bodyTruncated: false,
  response: null,
  responseTruncated: false,
};

/** The most recent requests, newest first. */
export const latestRequests = (store: Queries, limit: number): readonly NumberedRequest[] =>
  store.all("SELECT number, record FROM requests ORDER BY number DESC LIMIT ?", limit).map(numbered);

export const removeRequests = (store: Store, numbers: readonly number[]): void =>
  store.write(() => {
    for (const number of numbers) store.run("DELETE FROM requests WHERE number = ?", number);
  });
