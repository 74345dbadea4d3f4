import type { LookupFunction } from "node:net";
import { getProxyForUrl } from "proxy-from-env";
import { isLoopback } from "../../core/urls.ts";

/** The proxy that the environment sets for a URL; undefined for loopback hosts. */
export const proxyUrl = (url: string): string | undefined =>
  isLoopback(new URL(url).hostname) ? undefined : getProxyForUrl(url) || undefined;

/** Names below `localhost` are reserved for this machine, but some resolvers ask the network for them. */
export const lookupLocalhost: LookupFunction = (_name, options, callback) =>
  void import("node:dns").then(({ lookup }) => lookup("localhost", options, callback));
