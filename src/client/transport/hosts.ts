import type { LookupFunction } from "node:net";
import { getProxyForUrl } from "proxy-from-env";
import { isLoopback } from "../../core/urls.ts";

/** The proxy that the environment sets for a URL; undefined for loopback hosts. */
export function proxyUrl(url: string): string | undefined {
  const proxy = isLoopback(new URL(url).hostname) ? "" : getProxyForUrl(url);
  if (proxy === "") return undefined;
  // If the value has no scheme, as in `proxy:3128`, the library adds the scheme of the requested URL. Other programs
  // use such a value as an HTTP proxy.
  const isComplete = Object.entries(process.env).some(
    ([name, value]) => /_proxy$/i.test(name) && value === proxy,
  );
  return isComplete ? proxy : proxy.replace(/^\w+:/, "http:");
}

/**
 * Resolves any name as `localhost`. Used for names that end in `.localhost`, which are reserved for this machine, but
 * which some resolvers look up in the network.
 */
export const lookupLocalhost: LookupFunction = (_name, options, callback) =>
  void import("node:dns").then(({ lookup }) => lookup("localhost", options, callback));
