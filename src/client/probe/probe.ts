import type { IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import { TLSSocket } from "node:tls";
import { orAborted, startDeadline } from "../deadline.ts";
import { connectionFailed } from "../transport/failures.ts";
import { moduleFor, proxyAgent } from "../transport/node-http.ts";

/** What a host's response to a request without a key says about the host. */
export interface Probe {
  /** The `Date` header of the response. */
  readonly date: string | undefined;
  /** Whether the host is a served sandbox, whose clock can be moved. */
  readonly isSandbox: boolean;
  /** Undefined for plain http. */
  readonly certificate: Certificate | undefined;
}

export interface Certificate {
  readonly issuer: string;
  /** Milliseconds since the epoch. */
  readonly validTo: number;
  /** Why the certificate is not trusted; undefined if it is trusted. */
  readonly problem: string | undefined;
}

/**
 * Sends a HEAD request to a base URL, through a proxy if one applies. `timeout` limits the whole probe, in
 * milliseconds. Throws `ConnectionFailed` if there is no response.
 */
export async function probe(base: string, timeout: number): Promise<Probe> {
  const url = new URL(base);
  url.username = "";
  url.password = "";
  const deadline = startDeadline(timeout, undefined);
  const closing = new AbortController();
  try {
    // A request that still waits for its connection does not notice an abort.
    return await orAborted(probeOnce(url, closing.signal), deadline.signal);
  } finally {
    deadline.clear();
    closing.abort();
  }
}

async function probeOnce(url: URL, signal: AbortSignal): Promise<Probe> {
  const agent = await proxyAgent(url, { signal, keepAlive: true });
  const { request } = await moduleFor(url);
  const options: RequestOptions = {
    method: "HEAD",
    signal,
    // Untrusted certificates are examined too. This is safe, because the request holds no secret.
    rejectUnauthorized: false,
    ...(agent && { agent }),
  };
  return new Promise<Probe>((resolve, reject) => {
    request(url, options, (response) => {
      const { date, "x-gpuctl-sandbox": sandbox } = response.headers;
      resolve({ date, isSandbox: sandbox !== undefined, certificate: certificateOf(response) });
      response.destroy();
    })
      .on("error", (cause) => reject(connectionFailed(cause, url.host, false)))
      .end();
  });
}

function certificateOf({ socket }: IncomingMessage): Certificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { issuer, valid_to } = socket.getPeerCertificate();
  const names = [issuer?.O, issuer?.CN].flat().filter((name) => name !== undefined);
  return {
    issuer: names.join(", ") || "an unnamed issuer",
    validTo: Date.parse(valid_to),
    problem: socket.authorized ? undefined : String(socket.authorizationError),
  };
}
