import type { MiddlewareHandler } from "hono";
import { servedControls } from "../../core/sandbox.ts";
import { sandboxHeaders } from "../app.ts";
import type { Clock } from "../clock.ts";

/** Adds the headers that every response of the sandbox has. */
export const withSandboxHeaders =
  (clock: Clock): MiddlewareHandler =>
  async (http, next) => {
    await next();
    for (const [name, value] of Object.entries(sandboxHeaders(clock))) http.header(name, value);
  };

/**
 * Returns why a request is denied, or undefined if it is not. A request must come from this machine, and its Host
 * header must be a name that always means this machine.
 */
export function remoteDenial(request: Request, peer: string | undefined): string | undefined {
  if (!isLoopbackAddress(peer ?? "")) return `${servedControls.name} accept requests from this machine only`;
  if (!isLoopbackHost(hostOf(request))) return `${servedControls.name} are served at localhost only`;
  return undefined;
}

/** Returns why a page's request is denied, or undefined if it is not. The page must be one of the sandbox's own. */
export function crossOriginDenial(request: Request): string | undefined {
  const origin = request.headers.get("origin");
  const isCrossOrigin = origin !== null && origin !== `http://${hostOf(request)}`;
  if (isCrossOrigin || isFromOtherSite(request))
    return `${servedControls.name} do not accept requests from pages of other origins`;
  return undefined;
}

/**
 * Whether a page of another origin sent a request. Browsers send this header even without Origin, such as for an image.
 */
export const isFromOtherSite = ({ headers }: Request): boolean =>
  ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "");

const hostOf = (request: Request): string => request.headers.get("host") ?? "";

const isLoopbackAddress = (address: string): boolean =>
  address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);

/** Whether a Host header always means this machine. Other names could be made to resolve to it (DNS rebinding). */
function isLoopbackHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === "[::1]" || hostname === "localhost" || isLoopbackAddress(hostname);
}
