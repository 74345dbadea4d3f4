import { assertPrivate, fitsHeader, hostOf, type RequestParts } from "../client/request.ts";
import { reasonOf } from "../commands/errors.ts";
import { originOf } from "../commands/shared/urls.ts";
import type { KeyInUse } from "../context/context.ts";
import type { Sandbox, World } from "../context/world.ts";
import { KeyBelongsElsewhere, KeyCommandFailed } from "./key-errors.ts";
import type { KeySource } from "./key-source.ts";
import { once } from "./once.ts";
import type { Settings } from "./settings.ts";

export interface Keyring {
  /** The key that requests are sent with; nothing when there is none. */
  readonly inUse: () => Promise<KeyInUse | undefined>;
  /** The key for an operation that is about to be sent, as long as it may go where that is sent. */
  readonly keyFor: (route: Pick<RequestParts, "host" | "open">) => Promise<string | undefined>;
}

/** Milliseconds that a program may take to print a key: somebody may have to type a pass phrase. */
const longest = 120_000;

/** The keys of one run. A program that prints one is run when a key is really needed, and once. */
export function createKeyring(
  settings: Settings,
  world: Pick<World, "programs">,
  sandbox: () => Promise<Sandbox>,
): Keyring {
  const { key } = settings;
  const found = once(async () => key && (await read(key, world)));
  const inUse = async (): Promise<KeyInUse | undefined> => {
    if (settings.sandbox) return sandboxKey(key, await sandbox());
    const text = await found();
    return key && text !== undefined ? { key: text, source: key.source } : undefined;
  };
  return {
    inUse,
    keyFor: async (route) => {
      if (settings.dryRun) return key && "key" in key.from ? key.from.key : undefined;
      if (route.open) return undefined;
      if (!settings.sandbox && key) mayGo(key, hostOf(route, settings), settings);
      return (await inUse())?.key;
    },
  };
}

/** Throws when a key may not be sent to a base URL; one that is missing is told of when the request is made. */
function mayGo({ hosts, source }: KeySource, baseUrl: string | undefined, settings: Settings): void {
  if (baseUrl === undefined) return;
  const origin = originOf(baseUrl);
  if (hosts && origin !== undefined && !hosts.includes(origin)) {
    throw new KeyBelongsElsewhere(source, hosts, origin);
  }
  assertPrivate(new URL(baseUrl), settings);
}

/** The key of a source. Throws `KeyCommandFailed`. */
export async function read(
  { from, source }: KeySource,
  { programs }: Pick<World, "programs">,
): Promise<string> {
  return "key" in from ? from.key : keyFrom(from.command, source, programs);
}

/** The key that a command line prints, on its first line and alone. Throws `KeyCommandFailed`; what it printed is not told. */
export async function keyFrom(command: string, source: string, programs: World["programs"]): Promise<string> {
  const printed = await programs.output(command, { timeout: longest }).catch((cause) => {
    throw new KeyCommandFailed(source, reasonOf(cause));
  });
  const [first = "", ...others] = printed.trim().split(/\r?\n/);
  const shown = JSON.stringify(command);
  if (first === "") throw new KeyCommandFailed(source, `${shown} printed nothing`);
  const key = first.trim();
  if (fitsHeader(key)) return key;
  const lines = others.length > 0 ? "a first line" : "something";
  throw new KeyCommandFailed(source, `${shown} printed ${lines} that no header can carry`);
}

/** The sandbox's own key, unless the user names another one of the sandbox's. */
function sandboxKey(key: KeySource | undefined, { keys, hasKey }: Sandbox): KeyInUse {
  if (key && "key" in key.from && hasKey(key.from.key)) {
    return { key: key.from.key, source: key.source };
  }
  return { key: keys.full, source: "the sandbox's own key" };
}
