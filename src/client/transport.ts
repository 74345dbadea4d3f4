import { setMaxListeners } from "node:events";
import * as http from "node:http";
import type { LookupFunction } from "node:net";
import { urlToHttpOptions } from "node:url";
import { getProxyForUrl } from "proxy-from-env";
import { responseLimits } from "../contract/plain/response-limits.ts";
import { reasonOf } from "../core/errors.ts";
import { ConnectionFailed, isRead } from "../core/service-errors.ts";
import { isLoopback } from "../core/urls.ts";
import type { Fetch, FetchInit, FetchResponse } from "./fetch.ts";
import { maxIdleTime, pooled } from "./pooled.ts";

/** Connections to the host of a URL, directly or through a proxy. */
export interface Connections {
  readonly request: typeof http.request;
  readonly options: http.RequestOptions;
  readonly agent: http.Agent;
  readonly host: string;
}

export interface Transport {
  readonly fetch: Fetch;
  /** Returns the connections that can be shared by writes to a URL. Undefined if `fetch` has no connections. */
  readonly sharedByWrites?: (url: string) => Promise<Connections>;
  /** Closes every connection, so that the process can end. */
  readonly close: () => void;
}

/**
 * Creates a `fetch` on `node:http` and `node:https`, through the proxy in the environment. It throws
 * `ConnectionFailed`, which says whether any of the request may have been sent. If a request is aborted after it was
 * sent, it throws an `AbortError` instead. Reads share connections. A write opens its own connection, unless it sets
 * `reusesConnection`: if the service is just closing a shared connection, nothing shows whether the write arrived.
 */
export function createTransport(): Transport {
  // No keep-alive on Deno: when a reused connection is lost, Deno sends the request again, even if it is a create.
  const keepAlive = !("Deno" in globalThis);
  const agents = new Map<string, Promise<http.Agent>>();
  const closing = new AbortController();

  const connect = async (target: URL, isReadRequest: boolean, isShared: boolean): Promise<Connections> => {
    const { request, Agent } = await moduleFor(target);
    // Services close a connection that is idle for some seconds. A write must not use a connection that is about to
    // close.
    const idle = isReadRequest ? {} : { timeout: maxIdleTime };
    const open = async () => {
      const proxy = await proxyAgent(target, { signal: closing.signal, keepAlive, ...idle });
      // A proxy's agent changes each request, so it has to see each of them.
      if (proxy === undefined && isShared && !isReadRequest && keepAlive)
        return pooled(withOneBuffer(new Agent({ keepAlive })));
      const agent = proxy ?? withOneBuffer(new Agent({ keepAlive, ...idle }));
      // `keepAlive: false` is not used for this, because services may then send responses whose end is not marked.
      if (!isShared) agent.keepSocketAlive = () => false;
      return agent;
    };
    const key = `${target.origin} ${isReadRequest} ${isShared}`;
    const opening = agents.get(key) ?? open();
    agents.set(key, opening);
    const { protocol, hostname, port, path } = urlToHttpOptions(target);
    const options = {
      ...{ protocol, hostname, port, path },
      maxHeaderSize: responseLimits.headers,
      ...(target.hostname.endsWith(".localhost") && { lookup: lookupLocalhost }),
    };
    return { request, options, agent: await opening, host: target.host };
  };

  return {
    fetch: async (url, init) => {
      const isReadRequest = isRead(init);
      const isShared = isReadRequest || init.reusesConnection === true;
      return send(await connect(new URL(url), isReadRequest, isShared), init);
    },
    sharedByWrites: (url) => connect(new URL(url), false, true),
    close: () => {
      closing.abort();
      for (const agent of agents.values()) void agent.then((one) => one.destroy()).catch(() => {});
    },
  };
}

/** What sockets read into. A larger buffer takes no less processor time. */
const received = Buffer.allocUnsafeSlow(120 * 1024);

/**
 * Makes the sockets of an agent read into one buffer, and returns the agent. By default, a socket reads at most 64 KiB
 * at once, each time into a new buffer, which takes a fourth more processor time for a large response. One buffer is
 * enough for all sockets, because Node's HTTP parser copies what it passes on. On Deno, the agent is left unchanged.
 */
function withOneBuffer(agent: http.Agent): http.Agent {
  if ("Deno" in globalThis) return agent;
  const { createConnection } = agent;
  agent.createConnection = (options, done) => {
    const callback = (length: number) => {
      socket?.emit("data", received.subarray(0, length));
      return true;
    };
    const onread = { buffer: received, callback };
    const socket = createConnection.call(agent, { ...options, onread }, done);
    return socket;
  };
  return agent;
}

export const moduleFor = async ({ protocol }: URL): Promise<Pick<typeof http, "request" | "Agent">> =>
  protocol === "https:" ? import("node:https") : http;

/** The proxy that the environment sets for a URL; undefined for loopback hosts. */
export const proxyUrl = (url: string): string | undefined =>
  isLoopback(new URL(url).hostname) ? undefined : getProxyForUrl(url) || undefined;

/**
 * The agent for the proxy that the environment sets for a URL, if any. `signal` ends the connections to the proxy,
 * including pending ones, which the agent does not track yet.
 * @throws ConnectionFailed when the proxy's URL cannot be used
 */
export async function proxyAgent(
  url: URL,
  options: { readonly signal: AbortSignal; readonly keepAlive: boolean; readonly timeout?: number },
): Promise<http.Agent | undefined> {
  const proxy = proxyUrl(url.href);
  if (proxy === undefined) return undefined;
  if (!/^https?:\/\//i.test(proxy) || !URL.canParse(proxy)) {
    throw proxyFailed("the proxy in the environment must be an http or https URL");
  }
  setMaxListeners(0, options.signal);
  if (url.protocol === "https:") {
    const { HttpsProxyAgent } = await import("https-proxy-agent");
    return new HttpsProxyAgent(proxy, options);
  }
  const { HttpProxyAgent } = await import("http-proxy-agent");
  return new HttpProxyAgent(proxy, options);
}

function send(connections: Connections, { signal, onSent, ...init }: FetchInit): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    let broken: Error | undefined;
    const { outgoing, abandon } = begin(
      connections,
      { ...init, ...(signal && { signal }) },
      {
        responded: (incoming) => resolve(responseOf(incoming, () => broken)),
        failed: (cause) => {
          broken = cause;
          reject(cause);
        },
      },
    );
    if (onSent) outgoing.on("finish", onSent);
    // A request that is still waiting for its connection emits no event when it is aborted.
    const abort = () => {
      const failure = abandon(signal?.reason);
      if (failure instanceof ConnectionFailed && !failure.sent) reject(failure);
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** A request that has begun. */
interface Begun {
  readonly outgoing: http.ClientRequest;
  /**
   * Returns the error to report if the request is given up for this reason. If the request may have been sent, returns
   * the reason itself.
   */
  readonly abandon: (reason: unknown) => unknown;
}

/** Begins a request. A request that is aborted after it was sent fails with an `AbortError`. */
export function begin(
  { request, options, agent, host }: Connections,
  { method, headers, body, signal }: Pick<FetchInit, "method" | "headers" | "body" | "signal">,
  {
    responded,
    failed,
  }: {
    readonly responded: (incoming: http.IncomingMessage) => void;
    readonly failed: (cause: Error) => void;
  },
): Begun {
  const secure = options.protocol === "https:";
  let sent = false;
  const outgoing = request({
    ...options,
    method,
    headers: body === undefined ? headers : { ...headers, "Content-Length": Buffer.byteLength(body) },
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
  outgoing.on("response", (incoming) => {
    if (isOpenTooShort(incoming)) outgoing.shouldKeepAlive = false;
    if (sent) return responded(incoming);
    // A response to a request that was not sent is the proxy's own: it did not open the tunnel.
    incoming.destroy();
    failed(proxyFailed(`the proxy responded ${incoming.statusCode} and did not connect to ${host}`));
  });
  // Without this listener, Node.js closes the connection and emits nothing that ends the request.
  outgoing.on("upgrade", (_incoming, socket) => {
    socket.destroy();
    const message = "the service responded 101 and switched to another protocol";
    failed(new ConnectionFailed(`${message} (${host})`, { code: "EUPGRADE", sent: true }));
  });
  outgoing.on("error", (cause: NodeJS.ErrnoException) => {
    // Only the host is shown, because a proxy's URL may hold a user name and a password.
    const proxy = "proxy" in agent && agent.proxy instanceof URL ? agent.proxy.host : undefined;
    const place = proxy === undefined || sent ? host : `proxy ${proxy} for ${host}`;
    failed(cause.name === "AbortError" ? cause : connectionFailed(cause, place, sent));
  });
  outgoing.end(body);
  return {
    outgoing,
    abandon: (reason) => {
      if (sent) return reason;
      const message = `could not connect to ${host}: ${reasonOf(reason)}`;
      return new ConnectionFailed(message, { code: "ETIMEDOUT", sent, cause: reason });
    },
  };
}

/** Whether the service announces that it keeps an idle connection for no longer than gpuctl does. */
const isOpenTooShort = ({ headers }: http.IncomingMessage): boolean =>
  Number(/\btimeout=(\d+)/i.exec(String(headers["keep-alive"]))?.[1]) * 1000 <= maxIdleTime;

/** Names below `localhost` are reserved for this machine, but some resolvers ask the network for them. */
const lookupLocalhost: LookupFunction = (_name, options, callback) =>
  void import("node:dns").then(({ lookup }) => lookup("localhost", options, callback));

/** `broken` returns the error that broke the connection, if one did. */
function responseOf(incoming: http.IncomingMessage, broken: () => Error | undefined): FetchResponse {
  const { "content-length": length, "transfer-encoding": encoding } = incoming.headers;
  const endsWithConnection = length === undefined && encoding === undefined;
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
    body: endsWithConnection ? untilBroken(incoming, broken) : incoming,
  };
}

/**
 * A body whose end is the end of its connection. If the connection breaks, Node.js ends the body without an error. This
 * throws the error instead.
 */
async function* untilBroken(
  body: AsyncIterable<Uint8Array>,
  broken: () => Error | undefined,
): AsyncGenerator<Uint8Array> {
  yield* body;
  const cause = broken();
  if (cause) throw cause;
}

const proxyFailed = (message: string): ConnectionFailed =>
  new ConnectionFailed(message, { code: "EPROXY", sent: false });

/** Converts an error of Node.js to a `ConnectionFailed`. `sent` says whether any of the request may have been sent. */
export function connectionFailed(
  cause: NodeJS.ErrnoException,
  place: string,
  sent: boolean,
): ConnectionFailed {
  const code = cause.code ?? "ECONNFAILED";
  const reason = reasons[code] ?? (cause.message || code);
  return new ConnectionFailed(`${reason} (${place})`, { code, sent, cause });
}

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
    "the server's certificate is self-signed; to trust it, set NODE_EXTRA_CA_CERTS to its file",
  SELF_SIGNED_CERT_IN_CHAIN:
    "the certificate chain is self-signed; to trust it, set NODE_EXTRA_CA_CERTS to the file of its root certificate",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate cannot be verified",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
};
