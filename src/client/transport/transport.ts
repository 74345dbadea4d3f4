import { isRead } from "../../core/service-errors.ts";
import type { Fetch, FetchInit, FetchResponse } from "../fetch.ts";
import { ArrivingBody } from "./body.ts";
import type { Channel, ResponseHead } from "./channel.ts";
import { DirectChannel } from "./direct.ts";
import { notConnected } from "./failures.ts";
import { proxyUrl } from "./hosts.ts";

export interface Transport {
  readonly fetch: Fetch;
  /** Returns the connections that can be shared by writes to a URL. Undefined if `fetch` has no connections. */
  readonly sharedByWrites?: (url: string) => Promise<Channel>;
  /** Closes every connection, so that the process can end. */
  readonly close: () => void;
}

/**
 * Creates a `fetch` that uses the proxy in the environment. If there is no response, it throws a `ConnectionFailed`,
 * which says whether any part of the request may have been sent. If a request is aborted after it was sent, `fetch`
 * throws the reason of the abort instead. Reads share connections. A write shares one only if it sets
 * `reusesConnection`, because it is not known whether a write arrived if the service closes a shared connection while
 * the write is sent.
 */
export function createTransport(): Transport {
  const channels = new Map<string, Promise<Channel>>();
  const closing = new AbortController();

  function channelTo(target: URL, isReadRequest: boolean, isShared: boolean): Promise<Channel> {
    const key = `${target.origin} ${isReadRequest} ${isShared}`;
    const openWithNode = async () => {
      const { openNodeChannel } = await import("./node-http.ts");
      return openNodeChannel(target, { isRead: isReadRequest, isShared, signal: closing.signal });
    };
    const open = async () => {
      if (!isNode || proxyUrl(target.href) !== undefined) return openWithNode();
      const secure = target.protocol === "https:" ? (await import("node:tls")).connect : undefined;
      return new DirectChannel(target, { isShared, secure });
    };
    const opening = channels.get(key) ?? open();
    channels.set(key, opening);
    return opening;
  }

  return {
    fetch: async (url, init) => {
      const target = new URL(url);
      const isReadRequest = isRead(init);
      const isShared = isReadRequest || init.reusesConnection === true;
      return send(await channelTo(target, isReadRequest, isShared), pathOf(target), init);
    },
    sharedByWrites: (url) => channelTo(new URL(url), false, true),
    close: () => {
      closing.abort();
      for (const channel of channels.values()) void channel.then((one) => one.close()).catch(() => {});
    },
  };
}

/** The sockets of other runtimes do not support everything that a `DirectChannel` needs. */
const isNode = !("Deno" in globalThis || "Bun" in globalThis);

/** The path of a request to a URL, with the query. */
export const pathOf = ({ pathname, search }: URL): string => `${pathname}${search}`;

function send(channel: Channel, path: string, init: FetchInit): Promise<FetchResponse> {
  const { method, headers, body, signal, onSent } = init;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(notConnected(channel.host, signal.reason));
      return;
    }
    let arriving: ArrivingBody | undefined;
    const exchange = channel.begin(
      { method, path, headers, ...(body !== undefined && { body }) },
      {
        ...(onSent && { sent: onSent }),
        head: (head) => {
          arriving = new ArrivingBody(exchange);
          resolve(responseOf(head, arriving));
        },
        data: (part) => arriving?.push(part),
        end: () => arriving?.end(),
        failed: (cause) => (arriving ? arriving.fail(cause) : reject(cause)),
      },
    );
    signal?.addEventListener("abort", () => exchange.abort(signal.reason), { once: true });
  });
}

const responseOf = ({ status, headers }: ResponseHead, body: ArrivingBody): FetchResponse => ({
  status,
  headers: {
    get: (name) => {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : String(value);
    },
    entries: () =>
      Object.entries(headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      ),
  },
  body,
});
