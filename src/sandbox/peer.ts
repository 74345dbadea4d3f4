import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";

/**
 * Whether a connection from this computer comes from this user, or from root. Undefined on systems other than Linux,
 * which do not say who connects.
 */
export async function isOwnConnection({
  remotePort = 0,
  localPort = 0,
}: {
  readonly remotePort?: number | undefined;
  readonly localPort?: number | undefined;
}): Promise<boolean | undefined> {
  // An IPv6 socket can connect to an IPv4 address. Such a connection is only in the table for IPv6.
  const [ipv4, ipv6 = ""] = await Promise.all([tableOf("tcp"), tableOf("tcp6")]);
  if (ipv4 === undefined) return undefined;
  const users = `${ipv4}\n${ipv6}`
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote]) => portOf(local) === remotePort && portOf(remote) === localPort)
    .map((row) => Number(row[7]));
  // There are several rows if someone else uses the same ports with other addresses of this computer.
  return users.length > 0 && users.every((user) => user === 0 || user === userInfo().uid);
}

/** The connections of this computer. Undefined on systems that do not list them. */
const tableOf = (name: "tcp" | "tcp6"): Promise<string | undefined> =>
  readFile(`/proc/net/${name}`, "utf8").catch(() => undefined);

/** The port of an address such as `0100007F:1F90`. */
const portOf = (address = ""): number => Number.parseInt(address.slice(address.indexOf(":") + 1), 16);
