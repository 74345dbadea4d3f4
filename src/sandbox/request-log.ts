import type { Context } from "hono";
import { fieldsOf } from "../contract/plain/fields.ts";
import { requestLog } from "../core/sandbox.ts";
import { type ServedId, servedOperations } from "./assumed/index.ts";
import { stamp } from "./clock.ts";
import { secretsOf } from "./keys.ts";
import type { Store } from "./store/queries.ts";

/** What is known about a request: the variables that handling it sets in its Hono context. */
export interface RequestVariables {
  readonly now: number;
  readonly operation?: ServedId | undefined;
  readonly fault?: number | undefined;
  readonly problem?: { readonly code: string; readonly issues: readonly unknown[] } | undefined;
}

/** Logs a request; `status` is null when the connection was broken instead. A failure to log does not affect the response. */
export function logRequest(
  store: Store,
  http: Context,
  variables: RequestVariables,
  status: number | null,
): void {
  try {
    addRequest(store, withoutSecrets(entry(http, variables, status), [bearer(http), ...secretsOf(store)]));
  } catch {
    // The response is more important than its entry in the log.
  }
}

const entry = (
  { req }: Context,
  { now, operation, fault, problem }: RequestVariables,
  status: number | null,
): LoggedRequest => ({
  time: stamp(now),
  method: req.method,
  path: req.path + knownQuery(new URL(req.url).searchParams, operation),
  operation: operation ?? null,
  status,
  fault: fault ?? null,
  code: problem?.code ?? null,
  issues: (problem?.issues ?? []).flatMap(pathOf),
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

const bearer = ({ req }: Context): string => /^\S+ +(\S+)/.exec(req.header("authorization") ?? "")?.[1] ?? "";

/** Shorter secrets are not removed, because they may be parts of words. */
export const minSecretLength = 8;

/** Removes keys from every text, wherever a caller put them. */
function withoutSecrets(request: LoggedRequest, secrets: readonly string[]): LoggedRequest {
  const spellings = secrets
    .filter(({ length }) => length >= minSecretLength)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const clean = (text: string): string =>
    spellings.reduce((cleaned, secret) => cleaned.replaceAll(secret, "..."), text);
  return { ...request, path: clean(request.path), issues: request.issues.map(clean) };
}

/** A request without its body and without keys. */
interface LoggedRequest {
  /** The sandbox's time, ISO 8601. */
  readonly time: string;
  readonly method: string;
  /** With the values of known query fields only. */
  readonly path: string;
  /** Null when the path is unknown. */
  readonly operation: string | null;
  /** Null when the connection was broken. */
  readonly status: number | null;
  /** The fault that was applied. */
  readonly fault: number | null;
  /** The error code of the response. */
  readonly code: string | null;
  /** The dotted paths of the error's issues. */
  readonly issues: readonly string[];
}

export interface NumberedRequest extends LoggedRequest {
  /** Counts up from 1 after a reset. */
  readonly number: number;
}

/** Adds a request and removes the oldest ones. */
function addRequest(store: Store, request: LoggedRequest): void {
  store.write(() => {
    const number = store.run("INSERT INTO requests (record) VALUES (?)", JSON.stringify(request));
    store.run("DELETE FROM requests WHERE number <= ?", number - requestLog.kept);
  });
}

/** The most recent requests, oldest first. */
export const lastRequests = (store: Store, limit: number): readonly NumberedRequest[] =>
  store
    .all("SELECT number, record FROM requests ORDER BY number DESC LIMIT ?", limit)
    .map(({ number, record }) => ({ number: Number(number), ...JSON.parse(String(record)) }))
    .reverse();
