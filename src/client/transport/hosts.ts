import type { LookupFunction } from "node:net";
import { getProxyForUrl } from "proxy-from-env";
import { isLoopback } from "../../core/urls.ts";

/** The proxy that the environment sets for a URL; undefined for loopback hosts. */
export function proxyUrl(url: string): string | undefined {
  const proxy = isLoopback(new URL(url).hostname) ? "" : getProxyForUrl(url);
  if (proxy === "") return undefined;
  // To a value without a scheme, such as `proxy:3128`, the library adds the scheme of the URL. Everywhere else, such a
  // value is an HTTP proxy.
  const isComplete = Object.entries(process.env).some(
    ([name, value]) => /_proxy$/i.test(name) && value === proxy,
  );
  return isComplete ? proxy : proxy.replace(/^\w+:/, "http:");
}

/** Names below `localhost` are reserved for this machine, but some resolvers ask the network for them. */
export const lookupLocalhost: LookupFunction = (_name, options, callback) =>
  void import("node:dns").then(({ lookup }) => lookup("localhost", options, callback));
