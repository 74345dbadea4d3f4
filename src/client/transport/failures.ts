import { codeOf, reasonOf } from "../../core/errors.ts";
import { ConnectionFailed } from "../../core/service-errors.ts";

/**
 * Converts an error of Node.js to a `ConnectionFailed`. `sent` says whether some or all of the request may have been
 * sent.
 */
export function connectionFailed(
  cause: NodeJS.ErrnoException,
  place: string,
  sent: boolean,
): ConnectionFailed {
  // The code of a `DOMException`, such as the one for a timeout, is a number.
  const code = codeOf(cause) || "ECONNFAILED";
  const reason = reasons[code] ?? tlsReason(cause, code) ?? (cause.message || code);
  return new ConnectionFailed(`${reason} (${place})`, { code, sent, cause });
}

/** The error for a request that is given up before its connection is open. */
export const notConnected = (host: string, reason: unknown): ConnectionFailed =>
  new ConnectionFailed(`could not connect to ${host}: ${reasonOf(reason)}`, {
    code: "ETIMEDOUT",
    sent: false,
    cause: reason,
  });

export const proxyFailed = (message: string): ConnectionFailed =>
  new ConnectionFailed(message, { code: "EPROXY", sent: false });

/** The reason of an error of OpenSSL. Its message also names OpenSSL's source files, and has several lines. */
const tlsReason = (cause: Error, code: string): string | undefined =>
  code.startsWith("ERR_SSL_") && "reason" in cause ? `the TLS connection failed: ${cause.reason}` : undefined;

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
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not use TLS on this port",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
};
