import { InsecureUrl, NetworkError, ServiceError, UnreadableAnswer } from "../../client/errors.ts";
import { isLoopback } from "../../client/request.ts";
import type { VisibleEnvironment } from "../../context/context.ts";

const certificates =
  "Where an authority of your own signed it, NODE_EXTRA_CA_CERTS=FILE makes gpuctl trust that.";

const advice: Readonly<Record<string, string>> = {
  ENOTFOUND: "Is the URL right?",
  EAI_AGAIN: "Is the URL right, and is there a network?",
  ECONNREFUSED: "Is the URL right, the port too?",
  EPROXY: "The proxy refuses.",
  DEPTH_ZERO_SELF_SIGNED_CERT: certificates,
  SELF_SIGNED_CERT_IN_CHAIN: certificates,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificates,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificates,
};

/** What an error of a check says about a URL. Throws what is no fault of URL, network or service. */
export function troubleOf(error: unknown, url: string, environment: VisibleEnvironment): string {
  const { host } = new URL(url);
  if (error instanceof NetworkError) {
    const proxy = proxyFor(new URL(url), environment);
    const through =
      proxy && `The way leads through the proxy that ${proxy} names; NO_PROXY=${host} goes round it.`;
    return [`${host} cannot be reached: ${error.message}.`, advice[error.code], through]
      .filter(Boolean)
      .join(" ");
  }
  if (error instanceof UnreadableAnswer) return notTheService(`${host} answered with no JSON`);
  if (error instanceof ServiceError) {
    const answered = `${host} answered ${error.status}`;
    return error.status === 404 ? notTheService(answered) : `${answered}: ${error.message}.`;
  }
  if (error instanceof InsecureUrl) return plainHttp(url) ?? error.message;
  throw error;
}

/** A sentence about a host that is something else. */
export const notTheService = (what: string): string =>
  `${what}, so this is not the service, or its URL has another path.`;

/** What is to be said of a URL over which no key travels unless the user insists. */
export function plainHttp(url: string): string | undefined {
  const { protocol, hostname, host } = new URL(url);
  if (protocol !== "http:" || isLoopback(hostname)) return undefined;
  return `${host} is spoken to over plain http: a key is sent there with --insecure-http only, and anybody on the way can read it.`;
}

/** The variable that names the proxy for a URL. */
function proxyFor({ protocol, hostname }: URL, environment: VisibleEnvironment): string | undefined {
  if (isLoopback(hostname)) return undefined;
  const names =
    protocol === "https:"
      ? (["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] as const)
      : (["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] as const);
  return names.find((name) => environment[name]);
}
