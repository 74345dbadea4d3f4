import type { RequestParts } from "../client/request.ts";
import { Interrupted, reasonOf, UsageError } from "../core/errors.ts";
import { keyVariable } from "../core/runtime/key-variable.ts";
import { NoCredential } from "../core/service-errors.ts";
import { keyEnding } from "../core/text.ts";
import type { Environment } from "../core/urls.ts";
import {
  assertSecureUrl,
  baseUrlFor,
  fitsHeader,
  originOf,
  originsOf,
  whyUnfitForHeader,
} from "../core/urls.ts";
import { type Profile, profileOf, profileValue, readConfig } from "./file.ts";
import type { CommandOutput, ConfigFiles, Credential, KeyInUse, SandboxKeys, Secrets } from "./types.ts";

/** Where the key comes from. */
export interface KeySource {
  /** The source as text for the user, such as `GPUCTL_API_KEY` or `profile "work"`. */
  readonly source: string;
  /** The key, or the command line that prints it. */
  readonly from: { readonly key: string } | { readonly command: string };
  /** The only origins that the key may be sent to; undefined if it may be sent to any. Empty if there are none. */
  readonly hosts: readonly string[] | undefined;
}

/**
 * Finds the key: first in the environment, then in the profile. A profile's key may be sent only to the profile's
 * hosts.
 */
export function keySource(
  env: Environment,
  profile: Profile | undefined,
  name: string,
): KeySource | undefined {
  const given = env[keyVariable]?.trim();
  if (given) return { source: keyVariable, from: { key: given }, hosts: undefined };
  const source = `profile "${name}"`;
  const hosts = originsOf({
    baseUrl: profileValue(profile, "baseUrl"),
    inferenceBaseUrl: profileValue(profile, "inferenceBaseUrl"),
  });
  if (profile?.apiKey) return { source, from: { key: profile.apiKey }, hosts };
  const command = profileValue(profile, "apiKeyCommand");
  if (command === undefined) return undefined;
  return { source: `apiKeyCommand of ${source}`, from: { command }, hosts };
}

/** The facts about a key that may be shown: its source and its last characters. */
export const credentialOf = (key: KeySource | undefined): Credential | undefined =>
  key && { source: key.source, lastFour: "key" in key.from ? keyEnding(key.from.key) : "" };

/** The settings that decide which key is sent. */
export interface KeySettings {
  readonly key: KeySource | undefined;
  readonly sandbox: boolean;
  readonly dryRun: boolean;
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  readonly insecureHttp: boolean;
}

export interface KeyringOptions {
  readonly settings: KeySettings;
  readonly output: CommandOutput;
  readonly sandbox: () => Promise<SandboxKeys>;
}

export interface Keyring {
  /** The key that requests are sent with; undefined when there is none. */
  readonly inUse: () => Promise<KeyInUse | undefined>;
  /** The key for a request. Throws if the key must not be sent to the host, or if `apiKeyCommand` fails. */
  readonly keyFor: (route: Pick<RequestParts, "host" | "open">) => Promise<string | undefined>;
}

/**
 * Creates the keyring for one run of gpuctl. `apiKeyCommand` runs only when its key is needed, and again when that key
 * is needed after `maxKeyAge`.
 */
export function createKeyring({ settings, output, sandbox }: KeyringOptions): Keyring {
  const { key } = settings;
  const resolved = renewed(async () => key && (await keyOf(key, output)), maxKeyAge);
  const inUse = async (): Promise<KeyInUse | undefined> => {
    if (settings.sandbox) return sandboxKey(key, await sandbox());
    const text = await resolved();
    return key && text !== undefined ? { key: text, source: key.source } : undefined;
  };
  return {
    inUse,
    keyFor: async (route) => {
      if (settings.dryRun) return key && "key" in key.from ? key.from.key : undefined;
      if (route.open) return undefined;
      if (!settings.sandbox && key) assertAllowedHost(key, baseUrlFor(route, settings), settings);
      return (await inUse())?.key;
    },
  };
}

/**
 * How long a printed key is used, in milliseconds. A command may print a token that is valid only for minutes, and
 * gpuctl may run for days.
 */
const maxKeyAge = 5 * 60_000;

/**
 * A function that returns the value of `make`. Calls `make` again if the value is older than `maxAge` milliseconds. If
 * that fails, for example because the user is away and no one can unlock a password store, returns the earlier value
 * for another `maxAge`. If there is no earlier value, throws the error, and the next call tries again. If the user
 * interrupts `make`, throws `Interrupted` in either case.
 */
function renewed<Value>(make: () => Promise<Value>, maxAge: number): () => Promise<Value> {
  let current: Promise<Value> | undefined;
  let madeAt = 0;
  return () => {
    if (current !== undefined && performance.now() - madeAt < maxAge) return current;
    const earlier = current;
    const made = make().catch((error: unknown) => {
      if (earlier === undefined || error instanceof Interrupted) {
        current = earlier;
        throw error;
      }
      return earlier;
    });
    current = made;
    madeAt = performance.now();
    return made;
  };
}

/** Throws if the key must not be sent to the base URL. A missing base URL is reported when the request is made. */
function assertAllowedHost(
  { hosts, source }: KeySource,
  baseUrl: string | undefined,
  settings: KeySettings,
): void {
  if (baseUrl === undefined) return;
  const origin = originOf(baseUrl);
  if (hosts && origin !== undefined && !hosts.includes(origin)) {
    throw new KeyBelongsElsewhere(source, hosts, origin);
  }
  assertSecureUrl(new URL(baseUrl), settings);
}

/**
 * The user's key if it is one of the sandbox's keys, or else the sandbox's built-in key with full access. Does not run
 * `apiKeyCommand`.
 */
function sandboxKey(key: KeySource | undefined, { keys, hasKey }: SandboxKeys): KeyInUse {
  if (key && "key" in key.from && hasKey(key.from.key)) {
    return { key: key.from.key, source: key.source };
  }
  return { key: keys.full, source: "the sandbox's own key" };
}

/** Gets the key from its source. Throws `KeyCommandFailed` if a command does not print a valid key. */
const keyOf = async ({ from, source }: KeySource, output: CommandOutput): Promise<string> =>
  "key" in from ? from.key : printedKey(from.command, source, output);

/** Time limit in milliseconds for a command that prints a key. The user may have to type a passphrase. */
const maxKeyCommandTime = 120_000;

/**
 * Runs a command and returns the first line that it prints. Throws `KeyCommandFailed` if that line is not a valid key.
 * The error does not show the line.
 */
async function printedKey(command: string, source: string, output: CommandOutput): Promise<string> {
  const printed = await output(command, { timeout: maxKeyCommandTime }).catch((cause) => {
    if (cause instanceof Interrupted) throw cause;
    throw new KeyCommandFailed(source, reasonOf(cause));
  });
  const [first = "", ...others] = printed.trim().split(/\r?\n/);
  const shown = JSON.stringify(command);
  if (first === "") throw new KeyCommandFailed(source, `${shown} printed nothing`);
  const key = first.trim();
  if (fitsHeader(key)) return key;
  const part = others.length > 0 ? "the first line" : "the text";
  throw new KeyCommandFailed(source, `${part} that ${shown} printed ${whyUnfitForHeader(key)}`);
}

export interface SecretsOptions {
  readonly keyring: Keyring;
  readonly files: ConfigFiles;
  readonly readStdin: () => Promise<Uint8Array>;
  /** Prompts without echo. Throws `UsageError` with `hint` if gpuctl is not running interactively. */
  readonly askSecret: (
    question: { readonly message: string; readonly validate: (answer: string) => string | undefined },
    hint: string,
  ) => Promise<string>;
  readonly output: CommandOutput;
}

/** Creates the functions that get a key: from a prompt, stdin, a profile or a command, or the key in use. */
export function createSecrets(options: SecretsOptions): Secrets {
  const { keyring, files, readStdin, askSecret, output } = options;
  const keyProblem = (key: string): string | undefined => {
    const text = key.trim();
    if (text === "") return "it is empty";
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return "it is a URL; --base-url sets the host";
    if (/^(?:~|\.{1,2})?[\\/]|^[a-z]:\\/i.test(text))
      return "it is a path; to read a file, use --with-token < FILE";
    return fitsHeader(text) ? undefined : `it ${whyUnfitForHeader(text)}`;
  };
  const keyQuestionProblem = (key: string): string | undefined => keyProblem(key)?.replace(/^it/, "The key");
  return {
    readKey: async ({ fromStdin }) => {
      const key = fromStdin
        ? new TextDecoder().decode(await readStdin())
        : await askSecret(
            { message: "API key", validate: keyQuestionProblem },
            "Pipe the key in with --with-token.",
          );
      const problem = keyProblem(key);
      if (problem) throw new UsageError(`the key cannot be used: ${problem}`);
      return key.trim();
    },
    keyInUse: async () => {
      const inUse = await keyring.inUse();
      if (inUse === undefined) throw new NoCredential();
      return inUse;
    },
    profileKey: async (profile) => {
      const source = keySource({}, profileOf(readConfig(files), profile), profile);
      return source && keyOf(source, output);
    },
    keyFrom: (commandLine) => printedKey(commandLine, "the command", output),
  };
}

/** The profile's key would have been sent to a host that does not belong to the profile. Nothing was sent. */
class KeyBelongsElsewhere extends Error {
  override readonly name = "KeyBelongsElsewhere";
  readonly hint: string;
  constructor(source: string, hosts: readonly string[], origin: string) {
    const owner = hosts.length > 0 ? `is for ${hosts.join(" and ")}` : "is stored without a host";
    super(`the key from ${source} ${owner} and will not be sent to ${origin}`);
    this.hint = `Set GPUCTL_API_KEY to the key for ${origin}, or create a profile for it: \`gpuctl auth login --profile NAME --base-url ${origin}\`. Nothing was sent.`;
  }
}

/** A command did not print a valid key. Nothing was sent. */
class KeyCommandFailed extends Error {
  override readonly name = "KeyCommandFailed";
  constructor(source: string, reason: string) {
    super(`could not get a key from ${source}: ${reason}`);
  }
}
