import { firstAt, isRecord, valueAt } from "./paths.ts";
import { type Destination, destinationOf } from "./ssh-command.ts";

/** Where a rental answers to ssh. */
export interface SshAddress {
  /** A name or an address, without brackets; never begins with a dash. */
  readonly host: string;
  readonly port: number;
  readonly user?: string;
}

const SOURCES = [
  "providerData.sshNetworking",
  "providerData.nodeNetworking",
  "meta.ssh_command",
  "meta.node_networking",
];

/**
 * The ssh addresses of a rental, one for each node; none while it has none yet. What does not look like a host, a user
 * or a port is no address: ssh would take a host that begins with a dash for an option.
 */
export function sshAddresses(record: unknown): readonly SshAddress[] {
  for (const source of SOURCES) {
    const value = valueAt(record, source);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const addresses = items.map(address).filter((found) => found !== undefined);
    if (addresses.length > 0) return addresses;
  }
  return [];
}

/** `user@host:port`, without the port when it is 22 and without the user when none is known. */
export function sshText({ host, port, user }: SshAddress): string {
  const place = port === 22 ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return user === undefined ? place : `${user}@${place}`;
}

function address(item: unknown): SshAddress | undefined {
  const { host, port, user } = typeof item === "string" ? destinationOf(item) : named(item);
  if (typeof host !== "string" || !/^[A-Za-z0-9:][\w.:%-]*$/.test(host)) return undefined;
  const number = Number(port ?? 22);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) return undefined;
  if (user === undefined || user === null || user === "") return { host, port: number };
  if (typeof user !== "string" || !/^\w[\w.+-]*\$?$/.test(user)) return undefined;
  return { host, port: number, user };
}

function named(item: unknown): Partial<Record<keyof Destination, unknown>> {
  if (!isRecord(item)) return {};
  const host = firstAt(item, ["host", "publicIp", "public_ip", "ip"]);
  return { host, port: item.port, user: firstAt(item, ["user", "username"]) };
}
