import { createHash, timingSafeEqual } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { servedControls } from "../../core/sandbox.ts";
import { sandboxHeaders } from "../app.ts";
import type { Clock } from "../clock.ts";
import { ApiError } from "../errors.ts";
import { isLoopbackAddress, isLoopbackUrl } from "../peer.ts";

/** Adds the headers that every response of the sandbox has. */
export const withSandboxHeaders =
  (clock: Clock): MiddlewareHandler =>
  async (http, next) => {
    await next();
    for (const [name, value] of Object.entries(sandboxHeaders(clock))) http.header(name, value);
  };

/** Where a request to the controls comes from, and what gives it access. */
export interface Access {
  /** The address that the request came from. */
  readonly peer: string | undefined;
  /**
   * Whether the user of this process, or root, sent the request. Without this function, the sender counts as another
   * user.
   */
  readonly isOwner?: () => Promise<boolean>;
  /** The token that gives other machines access. If it is undefined, they have no access. */
  readonly token?: string | undefined;
}

/** Returns the error if a request to the controls is denied, and undefined if it is allowed. */
export function controlDenial(request: Request, { peer, token }: Access): ApiError | undefined {
  const crossOrigin = crossOriginDenial(request);
  if (crossOrigin !== undefined) return denied("FORBIDDEN", crossOrigin);
  const remote = remoteDenial(request, peer);
  if (remote === undefined || hasToken(request, token)) return undefined;
  return token === undefined
    ? denied("FORBIDDEN", remote)
    : denied("UNAUTHORIZED", `${servedControls.name} need their token as a bearer credential`);
}

const denied = (code: "FORBIDDEN" | "UNAUTHORIZED", message: string): ApiError =>
  new ApiError(code, [{ path: [], message }]);

/**
 * Whether a request has the token. Compares hashes, so that the time of the comparison reveals nothing about the token.
 */
function hasToken({ headers }: Request, token: string | undefined): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (given === undefined || token === undefined) return false;
  const [one, other] = [given, token].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/**
 * Returns why a request without a token is denied, or undefined if it is allowed. Such a request must come from this
 * machine, and its Host header must be a name that always means this machine.
 */
export function remoteDenial(request: Request, peer: string | undefined): string | undefined {
  if (!isLoopbackAddress(peer))
    return `${servedControls.name} accept requests only from the machine of the sandbox`;
  if (!isLoopbackUrl(`http://${hostOf(request)}`))
    return `${servedControls.name} are served at localhost only`;
  return undefined;
}

/**
 * Returns why the request of a web page is denied, or undefined if it is allowed. Of all web pages, only the sandbox's
 * own may call the controls.
 */
function crossOriginDenial(request: Request): string | undefined {
  const origin = request.headers.get("origin");
  const isCrossOrigin = origin !== null && origin !== `http://${hostOf(request)}`;
  if (isCrossOrigin || isFromOtherSite(request))
    return `${servedControls.name} do not accept requests from pages of other origins`;
  return undefined;
}

/**
 * Whether a page of another origin sent a request. Browsers send Sec-Fetch-Site even with requests that have no Origin,
 * such as those for images.
 */
export const isFromOtherSite = ({ headers }: Request): boolean =>
  ["cross-site", "same-site"].includes(headers.get("sec-fetch-site") ?? "");

const hostOf = (request: Request): string => request.headers.get("host") ?? "";
