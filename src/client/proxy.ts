import { setMaxListeners } from "node:events";
import type { Agent } from "node:http";
import { getProxyForUrl } from "proxy-from-env";
import { ConnectionFailed } from "./errors.ts";
import { isLoopback } from "./request.ts";

/** The proxy that the environment names for a URL. This machine is never asked through one. */
export const proxyUrl = (url: string): string | undefined =>
  isLoopback(new URL(url).hostname) ? undefined : getProxyForUrl(url) || undefined;

/**
 * The agent for the proxy that the environment names for this URL, or nothing when it names none. `closing` ends
 * the connections to the proxy, those too that an agent does not count as its own yet.
 * @throws ConnectionFailed when no such proxy can be spoken to
 */
export async function proxyAgent(url: URL, closing: AbortSignal): Promise<Agent | undefined> {
  const proxy = proxyUrl(url.href);
  if (proxy === undefined) return undefined;
  if (!/^https?:\/\//i.test(proxy) || !URL.canParse(proxy)) {
    throw new ConnectionFailed("the proxy that the environment names is no http or https address", {
      code: "EPROXY",
      sent: false,
    });
  }
  setMaxListeners(0, closing);
  const options = { keepAlive: true, signal: closing };
  if (url.protocol === "https:") {
    const { HttpsProxyAgent } = await import("https-proxy-agent");
    return new HttpsProxyAgent(proxy, options);
  }
  const { HttpProxyAgent } = await import("http-proxy-agent");
  return new HttpProxyAgent(proxy, options);
}
