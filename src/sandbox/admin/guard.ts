/** Why a request may not use the controls: they are for programs on this machine, and for pages of the sandbox's own. */
export function refusal(request: Request, peer: string | undefined): string | undefined {
  if (!isLoopbackAddress(peer ?? "")) return "the sandbox's controls are for this machine only";
  const host = request.headers.get("host") ?? "";
  if (!isLoopbackHost(host)) return "the sandbox's controls answer to localhost only";
  const origin = request.headers.get("origin");
  const isForeign = origin !== null && origin !== `http://${host}`;
  if (isForeign || otherSites.has(request.headers.get("sec-fetch-site") ?? ""))
    return "the sandbox's controls are not for pages of other origins";
  return undefined;
}

/** What a browser says of a page's request that names no origin, such as one for a picture. */
const otherSites: ReadonlySet<string> = new Set(["cross-site", "same-site"]);

const isLoopbackAddress = (address: string): boolean =>
  address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);

/** A name that leads to this machine whoever answers for names; others may be made to lead here. */
function isLoopbackHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === "[::1]" || hostname === "localhost" || isLoopbackAddress(hostname);
}
