import { ConnectionFailed } from "./errors.ts";

/** An answer to a request that never left is that of the proxy, which would not open the tunnel. */
export const refusedByProxy = (status: number, url: URL): Error =>
  new ConnectionFailed(`the proxy answered ${status} and opened no way to ${url.host}`, {
    code: "EPROXY",
    sent: false,
  });

/** Aborted before anything left. */
export const neverConnected = (reason: unknown, url: URL): Error =>
  new ConnectionFailed(`no connection to ${url.host}: ${reason instanceof Error ? reason.message : reason}`, {
    code: "ETIMEDOUT",
    sent: false,
    cause: reason,
  });

/** A connection that failed or broke, in words; `sent` says whether a byte of the request may have left. */
export function brokenConnection(
  cause: NodeJS.ErrnoException,
  { url, proxy, sent }: { readonly url: URL; readonly proxy: string | undefined; readonly sent: boolean },
): Error {
  const code = cause.code ?? "ECONNFAILED";
  const place =
    proxy === undefined || sent ? url.host : `the proxy ${hostOf(proxy)}, on the way to ${url.host}`;
  return new ConnectionFailed(`${reasons[code] ?? (cause.message || code)} (${place})`, {
    code,
    sent,
    cause,
  });
}

/** A proxy may carry a user and a password, which are not told. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "of the environment");

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host's name could not be looked up",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the server's certificate is self-signed; NODE_EXTRA_CA_CERTS can name its authority",
  SELF_SIGNED_CERT_IN_CHAIN:
    "the certificate chain is self-signed; NODE_EXTRA_CA_CERTS can name its authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate cannot be verified",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
};
