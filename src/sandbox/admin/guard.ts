/** Why a request may not use the controls: they are for programs on this machine, and for pages of the sandbox's own. */
export function refusal(request: Request, peer: string | undefined): string | undefined {
  if (!isLoopbackAddress(peer ?? "")) return "the sandbox's controls are for this machine only";
  const host = request.headers.get("host") ?? "";
  if (!isLoopbackHost(host)) return "the sandbox's controls answer to localhost only";
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== `http://${host}`)
    return "the sandbox's controls are not for other origins";
  return undefined;
}

const isLoopbackAddress = (address: string): boolean =>
  address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);

/** A name that leads to this machine whoever answers for names; others may be made to lead here. */
function isLoopbackHost(host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === "[::1]" || hostname === "localhost" || isLoopbackAddress(hostname);
}
