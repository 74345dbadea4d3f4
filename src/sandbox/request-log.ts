import type { Context } from "hono";
import { type ServedId, servedOperations } from "../contract/assumed/served.ts";
import { fieldsOf } from "../contract/fields.ts";

import { stamp } from "./clock.ts";
import { secretsOf } from "./keys.ts";
import type { Store } from "./store.ts";
import { addRequest, type LoggedRequest } from "./tables/requests.ts";

/** What the sandbox came to know of a request while it answered. */
export interface Seen {
  readonly now: number;
  readonly operation?: ServedId | undefined;
  readonly fault?: number | undefined;
  readonly problem?: { readonly code: string; readonly issues: readonly unknown[] } | undefined;
}

/** Notes a request that was answered, or was not: then there is no status. The log never takes the place of the answer. */
export function logRequest(store: Store, http: Context, seen: Seen, status: number | null): void {
  try {
    addRequest(store, withoutSecrets(entry(http, seen, status), [bearer(http), ...secretsOf(store)]));
  } catch {
    // What the operation did stands, whether it could be noted or not.
  }
}

const entry = (
  { req }: Context,
  { now, operation, fault, problem }: Seen,
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

/** A query without the values of fields that nobody knows: they may be anything. */
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

/** Shorter ones are parts of words. */
const shortestSecret = 8;

/** Takes keys out of every text, wherever a caller put them. */
function withoutSecrets(request: LoggedRequest, secrets: readonly string[]): LoggedRequest {
  const spelled = secrets
    .filter(({ length }) => length >= shortestSecret)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const clean = (text: string): string =>
    spelled.reduce((left, secret) => left.replaceAll(secret, "..."), text);
  return { ...request, path: clean(request.path), issues: request.issues.map(clean) };
}
