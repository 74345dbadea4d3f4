import { setMaxListeners } from "node:events";
import * as http from "node:http";
import type { Duplex } from "node:stream";
import { urlToHttpOptions } from "node:url";
import { responseLimits } from "../../contract/plain/response-limits.ts";
import { ConnectionFailed } from "../../core/service-errors.ts";
import {
  type Channel,
  type Exchange,
  isOpenTooShort,
  maxIdleTime,
  type OutgoingRequest,
  type Receiver,
} from "./channel.ts";
import { connectionFailed, notConnected, proxyFailed } from "./failures.ts";
import { lookupLocalhost, proxyUrl } from "./hosts.ts";

export interface NodeChannelOptions {
  readonly isRead: boolean;
  /** Whether a connection is used for more than one request. */
  readonly isShared: boolean;
  readonly signal: AbortSignal;
}

/**
 * Opens a channel that uses `node:http` or `node:https`, through the proxy that the environment sets for the target, if
 * any. Throws `ConnectionFailed` if the proxy's URL cannot be used.
 */
export async function openNodeChannel(
  target: URL,
  { isRead, isShared, signal }: NodeChannelOptions,
): Promise<Channel> {
  // No keep-alive on Deno: when a reused connection is lost, Deno sends the request again, even if it is a write.
  const keepAlive = !("Deno" in globalThis);
  const { request, Agent } = await moduleFor(target);
  // Services close a connection that is idle for some seconds. A write must not use a connection that is about to
  // close.
  const idle = isRead ? {} : { timeout: maxIdleTime };
  const proxy = await proxyAgent(target, { signal, keepAlive, ...idle });
  const agent = proxy ?? new Agent({ keepAlive, ...idle });
  // Closes each connection after its request. `keepAlive: false` would do the same, but services could then send
  // responses without a marked end.
  if (!isShared) agent.keepSocketAlive = () => false;
  const { protocol, hostname, port } = urlToHttpOptions(target);
  const options: http.RequestOptions = {
    ...{ protocol, hostname, port, agent },
    ...(target.hostname.endsWith(".localhost") && { lookup: lookupLocalhost }),
  };
  const isSecure = protocol === "https:";
  const { host } = target;
  // Only the host is shown, because a proxy's URL may hold a user name and a password.
  const proxyHost = proxy && "proxy" in proxy && proxy.proxy instanceof URL ? proxy.proxy.host : undefined;
  return {
    host,
    begin: (sent, receiver) =>
      receive(request({ ...options, ...optionsOf(sent) }), sent, { host, proxyHost, isSecure, receiver }),
    close: () => agent.destroy(),
  };
}

/** Reads the response to a request that was already sent. `connection` is a Duplex that stands in for the socket. */
export function receiveWithNode(
  sent: OutgoingRequest,
  {
    host,
    connection,
    receiver,
  }: { readonly host: string; readonly connection: Duplex; readonly receiver: Receiver },
): Exchange {
  const outgoing = http.request({ ...optionsOf(sent), createConnection: () => connection });
  return receive(outgoing, sent, { host, wasSent: true, receiver });
}

const optionsOf = ({ method, path, headers, body }: OutgoingRequest): http.RequestOptions => ({
  method,
  path,
  maxHeaderSize: responseLimits.headers,
  headers: body === undefined ? headers : { ...headers, "Content-Length": Buffer.byteLength(body) },
});

interface Receiving {
  readonly host: string;
  readonly proxyHost?: string | undefined;
  readonly isSecure?: boolean;
  readonly wasSent?: boolean;
  readonly receiver: Receiver;
}

/** Sends the body of a request, and passes the response on to the receiver. */
function receive(
  outgoing: http.ClientRequest,
  { body }: OutgoingRequest,
  { host, proxyHost, isSecure = false, wasSent = false, receiver }: Receiving,
): Exchange {
  let isSent = wasSent;
  let isEnded = false;
  let incoming: http.IncomingMessage | undefined;
  /** Reports the end of the exchange, but only once. */
  const settle = (report: () => void) => {
    if (isEnded) return;
    isEnded = true;
    report();
  };
  const fail = (cause: unknown) =>
    settle(() => {
      outgoing.destroy();
      receiver.failed(cause);
    });
  outgoing.on("socket", (socket) => {
    // The socket that a proxy agent hands over for HTTPS is already connected, but not yet encrypted.
    isSent ||= outgoing.reusedSocket || !(isSecure || socket.connecting);
    if (isSent) return;
    socket.once(isSecure ? "secureConnect" : "connect", () => {
      isSent = true;
    });
  });
  outgoing.on("finish", () => receiver.sent?.());
  outgoing.on("response", (response) => {
    if (isOpenTooShort(response)) outgoing.shouldKeepAlive = false;
    if (!isSent) {
      // The request was not sent yet, so this response is from the proxy, which did not open the tunnel.
      response.destroy();
      fail(proxyFailed(`the proxy responded ${response.statusCode} and did not connect to ${host}`));
      return;
    }
    incoming = response;
    response.on("data", (part: Uint8Array) => isEnded || receiver.data(part));
    response.on("end", () => settle(() => receiver.end()));
    response.on("error", fail);
    receiver.head({ status: response.statusCode ?? 0, headers: response.headers });
  });
  // Without this listener, Node.js closes the connection and emits nothing that ends the request.
  outgoing.on("upgrade", (_incoming, socket) => {
    socket.destroy();
    const message = "the service responded 101 and switched to another protocol";
    fail(new ConnectionFailed(`${message} (${host})`, { code: "EUPGRADE", sent: true }));
  });
  outgoing.on("error", (cause: NodeJS.ErrnoException) => {
    // What arrived in the same packet as the error may have been paid for, too. Each call of `read` emits `data`.
    while (!isEnded && incoming?.read());
    if (incoming?.complete) settle(() => receiver.end());
    const place = proxyHost === undefined || isSent ? host : `proxy ${proxyHost} for ${host}`;
    fail(connectionFailed(cause, place, isSent));
  });
  outgoing.end(body);
  return {
    pause: () => void incoming?.pause(),
    resume: () => void incoming?.resume(),
    abort: (reason) => fail(isSent ? reason : notConnected(host, reason)),
    destroy: () => settle(() => outgoing.destroy()),
  };
}

export const moduleFor = async ({ protocol }: URL): Promise<Pick<typeof http, "request" | "Agent">> =>
  protocol === "https:" ? import("node:https") : http;

/**
 * The agent for the proxy that the environment sets for a URL, if any. `signal` ends the connections to the proxy,
 * including pending ones, which the agent does not track yet. Throws `ConnectionFailed` if the proxy's URL cannot be
 * used.
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
