import { UsageError } from "./errors.ts";
import { maxSecretLength } from "./redact.ts";
import { InsecureUrl } from "./service-errors.ts";

const noUrl = { protocol: "", username: "", password: "" };

/** Says what an invalid base URL must be instead, as a text to put after "must be". Undefined if the URL is valid. */
export function urlProblem(
  text: string,
  { what = "a URL", example: url = "https://api.example.com" } = {},
): string | undefined {
  const example = `such as ${url}`;
  const { protocol, username, password } = URL.canParse(text) ? new URL(text) : noUrl;
  const isHttp = protocol === "http:" || protocol === "https:";
  if (!isHttp || !text.startsWith("//", protocol.length)) return `${what} ${example}`;
  return username || password ? `${what} without a user name or a password, ${example}` : undefined;
}

/** A URL, valid or not, with `****` instead of the user name and the password in it. */
export const withoutPassword = (url: string): string =>
  url.replace(/^([a-z][a-z\d+.-]*:[\\/]+)?.*@/is, (_, scheme: string | undefined) => `${scheme ?? ""}****@`);

/**
 * The password in a URL or, if it has none, the user name: as written and, if possible, also decoded. The URL may be
 * invalid, and may follow `--FLAG=`. Empty for any other text, such as a URL with `@` only in its path, or a sentence
 * with `@` that begins with a URL without a password.
 */
export function passwordsIn(text: string): readonly string[] {
  if (!text.includes("@")) return [];
  const url = text.replace(/^--[\w-]+=/, "");
  const userInfo = /^[a-z][a-z\d+.-]*:[\\/]+(\S*)@/i.exec(url)?.[1];
  if (userInfo === undefined) return [];
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: userInfo, password: "" };
  if (!username && !password) return [];
  const written = userInfo.slice(userInfo.indexOf(":") + 1);
  // The text up to the last `@` may be too long, because a path may contain `@`.
  const found = [written, password || username].filter((one) => one !== "");
  return [...new Set(found.flatMap((one) => [one, decoded(one)]))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether two base URLs are the same but for the case of the host, a default port and a slash at the end. */
export function isSameUrl(one: string | undefined, other: string | undefined): boolean {
  const form = (url: string | undefined) =>
    url !== undefined && URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : url;
  return form(one) === form(other);
}

/** Scheme, host and port of a URL; undefined for an invalid one. */
export const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined;

/** The origins of a profile's base URLs. The key of the profile may be sent only to them. */
export const originsOf = ({
  baseUrl,
  inferenceBaseUrl,
}: {
  readonly baseUrl?: string | undefined;
  readonly inferenceBaseUrl?: string | undefined;
}): readonly string[] => [baseUrl, inferenceBaseUrl].flatMap((url) => originOf(url) ?? []);

/**
 * Encodes a value as one segment of a path. Throws `UsageError` if the value is an object, is empty, is `.` or `..`, or
 * has half of a surrogate pair. With an empty or a dot segment, the request would go to another path: URL parsers drop
 * dot segments, even encoded ones. Half of a pair cannot be encoded.
 */
export function pathSegment(name: string, value: unknown): string {
  const text = String(value ?? "");
  if (typeof value === "object" || /^\.{0,2}$/.test(text) || !text.isWellFormed()) {
    throw new UsageError(`${name} cannot be used in a path: ${JSON.stringify(value)}`, {
      hint: "Nothing was sent.",
    });
  }
  return encodeURIComponent(text);
}

/** Whether a host is loopback, by its address or by a name that is reserved for it. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

/** The base URL for an operation. The inference host defaults to the compute base URL. */
export const baseUrlFor = (
  { host }: { readonly host: "compute" | "inference" },
  urls: { readonly baseUrl: string | undefined; readonly inferenceBaseUrl: string | undefined },
): string | undefined => (host === "inference" ? (urls.inferenceBaseUrl ?? urls.baseUrl) : urls.baseUrl);

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether a variable is one of gpuctl's own. Such a variable may hold a key, so it is not passed on to a rental or an
 * engine.
 */
export const isOwnVariable = (name: string): boolean => /^gpuctl_/i.test(name);

/**
 * The environment variable that sets the proxy for a protocol such as `https:`. If several are set, returns the one
 * that proxy-from-env uses. NO_PROXY may exempt a host from the proxy.
 */
export function proxyVariable(protocol: string, environment: Environment): string | undefined {
  const names = [`${protocol.replace(":", "")}_proxy`, "all_proxy"];
  return names.flatMap((name) => [name, name.toUpperCase()]).find((name) => environment[name]);
}

/** Whether an API key can be sent in a header: it must be visible ASCII without spaces, and not too long. */
export const fitsHeader = (key: string): boolean =>
  key.length <= maxSecretLength && /^[\x21-\x7e]+$/.test(key);

/** Why a key does not fit a header, as the end of a sentence about the key. */
export const whyUnfitForHeader = (key: string): string =>
  key.length > maxSecretLength
    ? `has more than ${maxSecretLength} characters`
    : "has spaces, or characters that an HTTP header cannot contain";

/**
 * Throws `InsecureUrl` if a key would be sent to the URL unencrypted. Loopback hosts are always allowed. All hosts are
 * allowed with `insecureHttp`.
 */
export function assertSecureUrl(url: URL, { insecureHttp }: { readonly insecureHttp: boolean }): void {
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !insecureHttp) {
    throw new InsecureUrl(url.origin);
  }
}
