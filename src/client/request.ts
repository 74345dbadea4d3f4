import type { Route } from "../contract/route.ts";
import { InsecureUrl, NoBaseUrl, NoCredential } from "./errors.ts";

/** Where requests go and who sends them. */
export interface Target {
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly userAgent: string;
  /** Lets the key travel over plain http to a host other than this machine. */
  readonly insecureHttp: boolean;
}

export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as plain values, for operations that the contract knows and for those it does not. */
export interface RequestParts extends Pick<Route, "host" | "path"> {
  readonly method: string;
  readonly query?: readonly (readonly [string, string])[];
  /** JSON. */
  readonly body?: string | undefined;
  /** No key is sent. */
  readonly open?: boolean | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that changes nothing: it may be sent again, and led on. */
export const isRead = ({ method }: { readonly method: string }): boolean =>
  method === "GET" || method === "HEAD";

/**
 * The request that an operation and its input make. A path prefix and a query in the base URL are kept; a user and
 * a password in it are not, so that no credential but the key travels or is shown. Throws before anything is sent when
 * the request cannot be made safely.
 */
export function wireRequest(
  route: Pick<Route, "method" | "path" | "host" | "in" | "open">,
  input: Readonly<Record<string, unknown>>,
  target: Target,
  accept = "application/json",
): WireRequest {
  const { method, path, host, open } = route;
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return rawRequest(
    {
      method,
      path,
      host,
      open,
      query: route.in === "query" ? given.map(([name, value]) => [name, String(value)] as const) : [],
      body: route.in === "body" ? JSON.stringify(input) : undefined,
    },
    target,
    accept,
  );
}

/** The same for a request of plain values. */
export function rawRequest(parts: RequestParts, target: Target, accept = "application/json"): WireRequest {
  const { method, query = [], body, open, headers } = parts;
  const url = address(parts, target);
  for (const [name] of query) url.searchParams.delete(name);
  for (const [name, value] of query) url.searchParams.append(name, value);
  return {
    method,
    url: url.href,
    headers: {
      Accept: accept,
      "User-Agent": target.userAgent,
      ...(open ? {} : authorization(url, target)),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  };
}

/** The base URL that an operation is sent to. */
export const hostOf = (
  { host }: Pick<Route, "host">,
  { baseUrl, inferenceBaseUrl }: Pick<Target, "baseUrl" | "inferenceBaseUrl">,
): string | undefined => (host === "inference" ? (inferenceBaseUrl ?? baseUrl) : baseUrl);

function address(route: Pick<Route, "path" | "host">, target: Target): URL {
  const base = hostOf(route, target);
  if (base === undefined) throw new NoBaseUrl();
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, "") + route.path;
  url.username = "";
  url.password = "";
  url.hash = "";
  return url;
}

/** A key travels in a header: it must be visible ASCII without spaces. */
export const fitsHeader = (key: string): boolean => /^[\x21-\x7e]+$/.test(key);

/** Throws `InsecureUrl` when a key would travel there in clear text. */
export function assertPrivate(url: URL, { insecureHttp }: Pick<Target, "insecureHttp">): void {
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !insecureHttp) {
    throw new InsecureUrl(url.origin);
  }
}

function authorization(url: URL, { apiKey, insecureHttp }: Target): Record<string, string> {
  const key = apiKey?.trim();
  if (!key) throw new NoCredential();
  if (!fitsHeader(key)) {
    throw new NoCredential("the API key holds spaces or characters that no header can carry");
  }
  assertPrivate(url, { insecureHttp });
  return { Authorization: `Bearer ${key}` };
}

/** A text of the service's without the key that the request carried, should it say it back. */
export function withoutKey(text: string, { headers }: Pick<WireRequest, "headers">): string {
  const key = headers.Authorization?.replace(/^Bearer /, "");
  return key ? text.replaceAll(key, "****") : text;
}

/** Loopback by address or by a name that must mean it. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
