import type { IncomingMessage, RequestOptions } from "node:http";
import { TLSSocket } from "node:tls";
import { brokenConnection } from "./connection-failure.ts";
import { proxied } from "./transport.ts";

/** What a host shows of itself to somebody who asks for nothing and sends no key. */
export interface Knock {
  /** The `Date` of its answer; nothing where that is the time of a sandbox, which may be any. */
  readonly date: string | undefined;
  /** Nothing where the way is not encrypted. */
  readonly certificate: Certificate | undefined;
}

export interface Certificate {
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly validTo: number;
  /** Why it is not to be trusted. */
  readonly problem: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Asks a host for the head of its base URL, through the proxy if one applies. Throws `ConnectionFailed`. */
export async function knock(base: string, environment: Environment, timeout: number): Promise<Knock> {
  const url = new URL(base);
  url.username = "";
  url.password = "";
  const closing = new AbortController();
  const agent = await proxied(url, environment, closing.signal);
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    method: "HEAD",
    signal: AbortSignal.timeout(timeout),
    // A certificate that is not to be trusted is looked at as well: nothing is sent that it could betray.
    rejectUnauthorized: false,
    ...(agent && { agent }),
  };
  try {
    return await new Promise<Knock>((resolve, reject) => {
      request(url, options, (answer) => {
        const { date, "x-gpuctl-sandbox": sandbox } = answer.headers;
        resolve({ date: sandbox === undefined ? date : undefined, certificate: certificateOf(answer) });
        answer.destroy();
      })
        .on("error", (cause: NodeJS.ErrnoException) => {
          const late = cause.name === "AbortError" || cause.name === "TimeoutError";
          reject(
            late
              ? new Error(`no answer within ${timeout / 1000} s`)
              : brokenConnection(cause, { url, proxy: undefined, sent: false }),
          );
        })
        .end();
    });
  } finally {
    closing.abort();
  }
}

function certificateOf({ socket }: IncomingMessage): Certificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { issuer, valid_to } = socket.getPeerCertificate();
  const names = [issuer?.O, issuer?.CN].flat().filter((name) => name !== undefined);
  return {
    issuer: names.join(", ") || "an issuer without a name",
    validTo: Date.parse(valid_to),
    problem: socket.authorized ? undefined : String(socket.authorizationError),
  };
}
