import { setMaxListeners } from "node:events";
import * as http from "node:http";
import { getProxyForUrl } from "proxy-from-env";
import { ConnectionFailed } from "../core/service-errors.ts";
import { isLoopback } from "../core/urls.ts";
import type { Fetch, FetchInit, FetchResponse } from "./fetch.ts";

export interface Transport {
  readonly fetch: Fetch;
  /** Closes every connection, so that the process can end. */
  readonly close: () => void;
}

/**
 * A `fetch` on `node:http` and `node:https` with keep-alive, through the proxy in the environment. It throws
 * `ConnectionFailed`, which says whether a byte of the request may have left, or an `AbortError` when it is aborted
 * after that.
 */
export function createTransport(): Transport {
  const agents = new Map<string, http.Agent>();
  const closing = new AbortController();

  async function agentFor(url: URL): Promise<http.Agent> {
    const known = agents.get(url.origin);
    if (known) return known;
    const agent = (await proxyAgent(url, closing.signal)) ?? (await directAgent(url));
    agents.set(url.origin, agent);
    return agent;
  }

  return {
    fetch: async (url, init) => {
      const target = new URL(url);
      const request = await requester(target);
      return send(request, target, { ...init, agent: await agentFor(target) });
    },
    close: () => {
      closing.abort();
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

type Requester = typeof http.request;

const requester = async (url: URL): Promise<Requester> =>
  url.protocol === "https:" ? (await import("node:https")).request : http.request;

async function directAgent(url: URL): Promise<http.Agent> {
  if (url.protocol === "https:") return new (await import("node:https")).Agent({ keepAlive: true });
  return new http.Agent({ keepAlive: true });
}

/** The proxy that the environment names for a URL; never one for this machine. */
export const proxyUrl = (url: string): string | undefined =>
  isLoopback(new URL(url).hostname) ? undefined : getProxyForUrl(url) || undefined;

/**
 * The agent for the proxy that the environment names for a URL, if any. `closing` ends the connections to the proxy,
 * including those that are still being made and that the agent does not know yet.
 * @throws ConnectionFailed when the proxy's URL cannot be used
 */
export async function proxyAgent(url: URL, closing: AbortSignal): Promise<http.Agent | undefined> {
  const proxy = proxyUrl(url.href);
  if (proxy === undefined) return undefined;
  if (!/^https?:\/\//i.test(proxy) || !URL.canParse(proxy)) {
    throw new ConnectionFailed("the proxy in the environment must be an http or https URL", {
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

function send(
  request: Requester,
  url: URL,
  { method, headers, body, signal, onSent, agent }: FetchInit & { agent: http.Agent },
): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === "https:";
    const proxy = "proxy" in agent && agent.proxy instanceof URL ? agent.proxy.href : undefined;
    let sent = false;
    const length: Record<string, string> =
      body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const outgoing = request(url, {
      method,
      headers: { ...headers, ...length },
      agent,
      ...(signal && { signal }),
    });
    outgoing.on("socket", (socket) => {
      // A proxy agent hands over a socket that is connected, but not yet encrypted.
      sent = outgoing.reusedSocket || !(secure || socket.connecting);
      if (sent) return;
      socket.once(secure ? "secureConnect" : "connect", () => {
        sent = true;
      });
    });
    if (onSent) outgoing.on("finish", onSent);
    outgoing.on("response", (incoming) => {
      if (sent) return resolve(responseOf(incoming));
      incoming.destroy();
      reject(refusedByProxy(incoming.statusCode ?? 0, url));
    });
    outgoing.on("error", (cause: NodeJS.ErrnoException) => {
      reject(cause.name === "AbortError" ? cause : connectionFailed(cause, { url, proxy, sent }));
    });
    // A request that is still waiting for its connection emits nothing when it is aborted.
    const abort = () => {
      if (!sent) reject(neverConnected(signal?.reason, url));
    };
    signal?.addEventListener("abort", abort, { once: true });
    outgoing.end(body);
  });
}

function responseOf(incoming: http.IncomingMessage): FetchResponse {
  return {
    status: incoming.statusCode ?? 0,
    headers: {
      get: (name) => {
        const value = incoming.headers[name.toLowerCase()];
        return value === undefined ? null : String(value);
      },
      entries: () =>
        Object.entries(incoming.headers).flatMap(([name, values]) =>
          [values ?? []].flat().map((value): [string, string] => [name, value]),
        ),
    },
    body: incoming,
  };
}

/** A response to a request that was not sent is the proxy's own: it did not open the tunnel. */
const refusedByProxy = (status: number, url: URL): Error =>
  new ConnectionFailed(`the proxy responded ${status} and did not connect to ${url.host}`, {
    code: "EPROXY",
    sent: false,
  });

const neverConnected = (reason: unknown, url: URL): Error =>
  new ConnectionFailed(
    `could not connect to ${url.host}: ${reason instanceof Error ? reason.message : reason}`,
    { code: "ETIMEDOUT", sent: false, cause: reason },
  );

/** An error of Node.js as a `ConnectionFailed`; `sent` says whether a byte of the request may have left. */
export function connectionFailed(
  cause: NodeJS.ErrnoException,
  { url, proxy, sent }: { readonly url: URL; readonly proxy: string | undefined; readonly sent: boolean },
): Error {
  const code = cause.code ?? "ECONNFAILED";
  const place = proxy === undefined || sent ? url.host : `proxy ${hostOf(proxy)} for ${url.host}`;
  const reason = reasons[code] ?? (cause.message || code);
  return new ConnectionFailed(`${reason} (${place})`, { code, sent, cause });
}

/** The host alone: a proxy's URL may hold a user name and a password. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "in the environment");

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "DNS lookup failed",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the server's certificate is self-signed; NODE_EXTRA_CA_CERTS adds its authority",
  SELF_SIGNED_CERT_IN_CHAIN: "the certificate chain is self-signed; NODE_EXTRA_CA_CERTS adds its authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate cannot be verified",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
};
