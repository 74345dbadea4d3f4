import * as http from "node:http";
import { brokenConnection, neverConnected, refusedByProxy } from "./connection-failure.ts";
import type { Fetch, FetchAnswer, FetchInit } from "./fetch.ts";
import { isLoopback } from "./request.ts";

export interface Transport {
  readonly fetch: Fetch;
  /** Lets go of every connection, so that the process can end. */
  readonly close: () => void;
}

/**
 * A `fetch` on `node:http` and `node:https` with keep-alive, through the proxy that the environment names; this
 * machine is never asked through one. It throws `ConnectionFailed`, which says whether a byte of the request may
 * have left, and an `AbortError` when it is aborted after that.
 */
export function createTransport(environment: Readonly<Record<string, string | undefined>>): Transport {
  const agents = new Map<string, http.Agent>();
  const closing = new AbortController();

  async function agentFor(url: URL): Promise<http.Agent> {
    const known = agents.get(url.origin);
    if (known) return known;
    const agent = (await proxied(url, environment, closing.signal)) ?? (await directAgent(url));
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

export async function proxied(
  url: URL,
  environment: Readonly<Record<string, string | undefined>>,
  closing: AbortSignal,
): Promise<http.Agent | undefined> {
  if (isLoopback(url.hostname)) return undefined;
  if (!proxyVariables.some((name) => environment[name] || environment[name.toLowerCase()])) return undefined;
  return (await import("./proxy.ts")).proxyAgent(url, closing);
}

const proxyVariables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"];

function send(
  request: Requester,
  url: URL,
  { method, headers, body, signal, onSent, agent }: FetchInit & { agent: http.Agent },
): Promise<FetchAnswer> {
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
      // The agent of a proxy hands over a socket that is connected, but not yet secured.
      sent = outgoing.reusedSocket || !(secure || socket.connecting);
      if (sent) return;
      socket.once(secure ? "secureConnect" : "connect", () => {
        sent = true;
      });
    });
    if (onSent) outgoing.on("finish", onSent);
    outgoing.on("response", (incoming) => {
      if (sent) return resolve(answer(incoming));
      incoming.destroy();
      reject(refusedByProxy(incoming.statusCode ?? 0, url));
    });
    outgoing.on("error", (cause: NodeJS.ErrnoException) => {
      reject(cause.name === "AbortError" ? cause : brokenConnection(cause, { url, proxy, sent }));
    });
    // A request that still waits for its connection says nothing when it is aborted.
    const abort = () => {
      if (!sent) reject(neverConnected(signal?.reason, url));
    };
    signal?.addEventListener("abort", abort, { once: true });
    outgoing.end(body);
  });
}

function answer(incoming: http.IncomingMessage): FetchAnswer {
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
