import { readFile, stat } from "node:fs/promises";
import { isLoopback } from "../core/urls.ts";

/** Whether an address is a loopback address, which always means this computer. */
export const isLoopbackAddress = (address = ""): boolean =>
  address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/i.test(address);

/**
 * Whether the host of a URL always means this computer. Any other host name can be made to resolve to this computer
 * (DNS rebinding).
 */
export const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);

/**
 * Whether a connection comes from a loopback address, and from this user or root. Systems other than Linux do not say
 * who connects. On these systems, returns undefined for a loopback address.
 */
export async function isOwnConnection({
  remoteAddress,
  remotePort = 0,
  localPort = 0,
}: {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly localPort?: number | undefined;
}): Promise<boolean | undefined> {
  // Only ports are compared below, and a connection from another machine may have the same ports as a local one.
  if (!isLoopbackAddress(remoteAddress)) return false;
  // An IPv6 socket can connect to an IPv4 address. Such a connection is only in the table for IPv6.
  const [ipv4, ipv6 = ""] = await Promise.all([tableOf("tcp"), tableOf("tcp6")]);
  if (ipv4 === undefined) return undefined;
  const rows = `${ipv4}\n${ipv6}`
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote]) => portOf(local) === remotePort && portOf(remote) === localPort);
  // Not `os.userInfo()`, which throws if the user has no name, as in some containers.
  const { uid } = await stat("/proc/self");
  const isOwn = ([user, , inode]: readonly string[]) =>
    // A connection without an inode was closed by its sender. It may be listed under root, whoever opened it.
    inode !== "0" && (user === "0" || user === String(uid));
  // There are several rows if someone else uses the same ports with other addresses of this computer.
  return rows.length > 0 && rows.every((row) => isOwn(row.slice(7)));
}

/** The TCP connections of this computer. Undefined on systems that do not list them. */
const tableOf = (name: "tcp" | "tcp6"): Promise<string | undefined> =>
  readFile(`/proc/net/${name}`, "utf8").catch(() => undefined);

/** The port of an address such as `0100007F:1F90`. */
const portOf = (address = ""): number => Number.parseInt(address.slice(address.indexOf(":") + 1), 16);
