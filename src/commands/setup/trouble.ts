import type { VisibleEnvironment } from "../../command-kit/context.ts";
import { InsecureUrl, InvalidResponse, NetworkError, ServiceError } from "../../core/service-errors.ts";
import { isLoopback, proxyVariable } from "../../core/urls.ts";

const certificates = "If your own authority signed it, set NODE_EXTRA_CA_CERTS=FILE to trust it.";

const advice: Readonly<Record<string, string>> = {
  ENOTFOUND: "Is the URL right?",
  EAI_AGAIN: "Is the URL right, and is the network up?",
  ECONNREFUSED: "Are the host and the port right?",
  EPROXY: "The proxy refused the connection.",
  DEPTH_ZERO_SELF_SIGNED_CERT: certificates,
  SELF_SIGNED_CERT_IN_CHAIN: certificates,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificates,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificates,
};

/** What the error of a check says about a URL. Throws an error that has another cause than URL, network or service. */
export function troubleOf(error: unknown, url: string, environment: VisibleEnvironment): string {
  const { host, hostname } = new URL(url);
  if (error instanceof NetworkError) {
    const proxy = isLoopback(hostname) ? undefined : proxyVariable(new URL(url).protocol, environment);
    const through = proxy && `Requests go through the proxy in ${proxy}; set NO_PROXY=${host} to bypass it.`;
    return [`${host} cannot be reached: ${error.message}.`, advice[error.code], through]
      .filter(Boolean)
      .join(" ");
  }
  if (error instanceof InvalidResponse) return notTheService(`${host} did not return JSON`);
  if (error instanceof ServiceError) {
    const returned = `${host} returned ${error.status}`;
    return error.status === 404 ? notTheService(returned) : `${returned}: ${error.message}.`;
  }
  if (error instanceof InsecureUrl) return plainHttp(url) ?? error.message;
  throw error;
}

export const notTheService = (what: string): string =>
  `${what}, so this is not the service, or the path of the URL is wrong.`;

/** Why gpuctl does not send a key to a URL without confirmation. */
export function plainHttp(url: string): string | undefined {
  const { protocol, hostname, host } = new URL(url);
  if (protocol !== "http:" || isLoopback(hostname)) return undefined;
  return `${host} uses plain http: gpuctl sends the key there only with --insecure-http, and anyone on the network can read it.`;
}
