import type { Effect } from "../contract/operation.ts";
import { effectOfRequest } from "../contract/plain/response-limits.ts";
import type { Route } from "../contract/plain/route.ts";
import { createRedactor, type Redactor } from "../core/redact.ts";
import { NoBaseUrl, NoCredential } from "../core/service-errors.ts";
import { assertSecureUrl, baseUrlFor, fitsHeader, pathSegment, whyUnfitForHeader } from "../core/urls.ts";

/** Where requests are sent, and with which API key. */
export interface Target {
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly userAgent: string;
  /** Allows sending the key over plain http to a host other than this machine. */
  readonly insecureHttp: boolean;
  /** Headers of every request, besides those that the client sets itself. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface WireRequest extends Pick<Route, "host" | "list"> {
  readonly method: string;
  readonly effect: Effect;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** A request before its target is known. It may call an operation of the contract or any other. */
export interface RequestParts extends Pick<Route, "host" | "path"> {
  readonly method: string;
  /** Derived from the method and the host if it is not set. */
  readonly effect?: Effect | undefined;
  readonly query?: readonly (readonly [string, string])[];
  /** JSON. */
  readonly body?: string | undefined;
  /** Sends the request without a key. */
  readonly open?: boolean | undefined;
  readonly list?: true | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Builds the request of an operation from its input. Throws `UsageError` if an id cannot be a segment of a path. */
export function requestParts(
  route: Pick<Route, "method" | "effect" | "path" | "host" | "in" | "open" | "list">,
  input: object,
): RequestParts {
  const { method, effect, host, open, list } = route;
  const rest: Record<string, unknown> = { ...input };
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const segment = pathSegment(name, rest[name]);
    delete rest[name];
    return segment;
  });
  if (route.in === "body") return { method, effect, path, host, open, list, body: JSON.stringify(rest) };
  const given = Object.entries(rest).filter(([, value]) => route.in === "query" && value !== undefined);
  return {
    method,
    effect,
    path,
    host,
    open,
    list,
    query: given.map(([name, value]) => [name, String(value)]),
  };
}

/** The `Accept` header of a raw call: JSON if possible. */
export const acceptAnything = "application/json, */*";

/**
 * Builds the request to send to a target. Keeps a path prefix and a query of the base URL. Removes a user name and a
 * password from the URL, so that they are neither sent nor shown. Throws `NoBaseUrl`, `NoCredential` or `InsecureUrl`.
 */
export function wireRequest(parts: RequestParts, target: Target, accept = "application/json"): WireRequest {
  const { method, effect = effectOfRequest(parts), host, query = [], body, open, list, headers } = parts;
  const url = urlOf(parts, target);
  for (const [name] of query) url.searchParams.delete(name);
  for (const [name, value] of query) url.searchParams.append(name, value);
  return {
    method,
    effect,
    host,
    ...(list && { list }),
    url: url.href,
    headers: {
      ...target.headers,
      Accept: accept,
      // Responses are not decompressed. Without this header, a service may compress them.
      "Accept-Encoding": "identity",
      "User-Agent": target.userAgent,
      ...(open ? {} : authorization(url, target)),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    body,
  };
}

function urlOf(route: Pick<Route, "path" | "host">, target: Target): URL {
  const base = baseUrlFor(route, target);
  if (base === undefined) throw new NoBaseUrl();
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, "") + route.path;
  url.username = "";
  url.password = "";
  url.hash = "";
  return url;
}

function authorization(url: URL, { apiKey, insecureHttp }: Target): Record<string, string> {
  const key = apiKey?.trim();
  if (!key) throw new NoCredential();
  if (!fitsHeader(key)) throw new NoCredential(`the API key ${whyUnfitForHeader(key)}`);
  assertSecureUrl(url, { insecureHttp });
  return { Authorization: `Bearer ${key}` };
}

/** Returns a function that masks the request's key in texts from the service. */
export function keyRedactor({ headers }: Pick<WireRequest, "headers">): Redactor["redact"] {
  const redactor = createRedactor();
  redactor.add(headers.Authorization?.replace(/^Bearer /, ""));
  return redactor.redact;
}
