import { firstAt, isRecord, scalarText, valueAt } from "../core/json.ts";

/** Where a rental accepts ssh connections. */
export interface SshAddress {
  /** A name or an address, without brackets. Never starts with a dash. */
  readonly host: string;
  readonly port: number;
  readonly user?: string;
}

/** Paths in a rental that may hold ssh addresses. The first path with an address is used. */
const SOURCES = [
  "providerData.sshNetworking",
  "providerData.nodeNetworking",
  "meta.ssh_command",
  "meta.node_networking",
];

/**
 * The ssh addresses of a rental, one for each node. Empty while the rental has none. Leaves out addresses with an
 * invalid host, user or port: for example, ssh would treat a host that starts with a dash as an option.
 */
export function sshAddresses(record: unknown): readonly SshAddress[] {
  for (const source of SOURCES) {
    const value = valueAt(record, source);
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const addresses = items.map(parseItem).filter((address) => address !== undefined);
    if (addresses.length > 0) return addresses;
  }
  return [];
}

/** `user@host:port`, without the port if it is 22, and without the user if it is not known. */
export function sshText({ host, port, user }: SshAddress): string {
  const address = port === 22 ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return user === undefined ? address : `${user}@${address}`;
}

function parseItem(item: unknown): SshAddress | undefined {
  const { host, port, user } = typeof item === "string" ? parseTarget(item) : fieldsOf(item);
  if (typeof host !== "string" || !/^[A-Za-z0-9:][\w.:%-]*$/.test(host)) return undefined;
  const number = Number(scalarText(port ?? 22));
  if (!Number.isInteger(number) || number < 1 || number > 65_535) return undefined;
  if (user === undefined || user === null || user === "") return { host, port: number };
  if (typeof user !== "string" || !/^\w[\w.+-]*\$?$/.test(user)) return undefined;
  return { host, port: number, user };
}

function fieldsOf(item: unknown): Target {
  if (!isRecord(item)) return {};
  const host = firstAt(item, ["host", "publicIp", "public_ip", "ip"]);
  return { host, port: item.port, user: firstAt(item, ["user", "username"]) };
}

/** The parts of an ssh destination, before they are checked. */
type Target = { readonly [Part in keyof SshAddress]?: unknown };

/** An option of ssh whose value is the next word. */
export const optionWithValue = /^-[BbcDEeFIiJLlmOoPpQRSWw]$/;

/** Parses `ssh -p 2222 user@host`, `user@host:port`, `ssh://user@host:port` or a bare host. */
function parseTarget(text: string): Target {
  const words = text.trim().split(/\s+/);
  if (words[0] === "ssh") words.shift();
  let address: string | undefined;
  const options = new Map<string, string | undefined>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (optionWithValue.test(word)) {
      index += 1;
      options.set(word, words[index]);
    } else if (/^-[pl]./.test(word)) {
      options.set(word.slice(0, 2), word.slice(2));
    } else if (!word.startsWith("-")) {
      address ??= word;
    }
  }
  const { host, port, user } = parseAddress((address ?? "").replace(/^ssh:\/\//, ""));
  return { host, port: options.get("-p") ?? port, user: user ?? options.get("-l") };
}

function parseAddress(text: string): Target {
  const at = text.lastIndexOf("@");
  const user = at < 0 ? undefined : text.slice(0, at);
  const rest = text.slice(at + 1);
  const parts = /^\[([^\]]+)\](?::(.*))?$/.exec(rest) ?? /^([^:]*)(?::([^:]*))?$/.exec(rest);
  return parts === null ? { host: rest, user } : { host: parts[1], port: parts[2], user };
}
