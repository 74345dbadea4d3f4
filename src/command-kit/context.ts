import type { Call, RawCall } from "../client/call.ts";
import type { Description } from "../client/description.ts";
import type { List } from "../client/list.ts";
import type { Stream } from "../client/stream.ts";
import type { Credential, Profiles, ProfileValues, Secrets } from "../config/types.ts";
import type { Shell } from "../core/shells.ts";
import type { Programs, Prompts } from "../system/types.ts";
import type { Installation, SandboxControl, SandboxFacts } from "./ports.ts";

export type {
  Credential,
  ProfileChange,
  ProfileSummary,
  Profiles,
  ProfileValues,
  Secrets,
} from "../config/types.ts";
export type { Programs } from "../system/types.ts";
export type * from "./ports.ts";

/** What commands work with. Helpers take only what they use, as in `Pick<Context, "call" | "say">`. */
export interface Context {
  readonly call: Call;
  readonly stream: Stream;
  /** For a list that may not fit in memory. */
  readonly list: List;
  /** Sends any request, in the contract or not. */
  readonly request: RawCall;
  /** The service's own description. */
  readonly describe: Describe;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The service's time by its last response, in milliseconds since the epoch. */
  readonly serviceNow: () => number;
  /** Rejects at once when the user interrupts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Prints a line to stderr; silent with `--quiet`. */
  readonly say: (line: string) => void;
  /** Sets the line to print if the command fails later, such as what was already saved. */
  readonly ifItFails: (line: string) => void;
  /** Does the work, with a progress line on a terminal. */
  readonly progress: <Value>(text: string, work: (update: Update) => Promise<Value>) => Promise<Value>;
  readonly files: Files;
  readonly settings: CommandSettings;
  /** Aborted when the user interrupts. */
  readonly interrupted: AbortSignal;
}

/** What only some commands need; a command lists the ports that it uses. */
export interface Ports {
  readonly profiles: Profiles;
  readonly secrets: Secrets;
  /** Prompts. Throws `UsageError` when not running interactively, with `instead` as the alternative to suggest. */
  readonly ask: (instead: string) => Promise<Prompts>;
  /** Calls to a service that is not configured yet. */
  readonly callAt: (place: Place) => Call;
  readonly environment: VisibleEnvironment;
  readonly programs: Programs;
  /** The completion script for a shell, the same text as in `completions/`. */
  readonly completionScript: (shell: Shell) => Promise<string>;
  /** Help for a command or a topic. Throws `UsageError` for any other words. */
  readonly helpOn: (words: readonly string[]) => Promise<string>;
  readonly sandbox: () => Promise<SandboxControl>;
  /** Available without opening the sandbox's state. */
  readonly sandboxFacts: () => Promise<SandboxFacts>;
  readonly installation: Installation;
}

/**
 * The service's own description, from the cache or fetched; `refresh` ignores the cache. Where it cannot be fetched,
 * the documented API is used if `orDocumented` accepts it. A dry run fetches nothing: it uses the cached description or
 * the documented API. With a `timeout` in milliseconds, only the service's own description will do: anything else is an
 * error, in a dry run a `UsageError`.
 */
export type Describe = (options?: {
  readonly refresh?: boolean;
  readonly orDocumented?: (documented: Description) => boolean;
  readonly timeout?: number;
}) => Promise<Description>;

/** Changes the text that `progress` shows. */
export type Update = (text: string) => void;

export interface Files {
  /** A file's bytes; `-` is stdin. Throws when it cannot be read. */
  readonly read: (path: string) => Promise<Uint8Array>;
  /** Makes a path absolute. */
  readonly resolve: (path: string) => string;
  /** The folder for temporary files. */
  readonly temporary: string;
  readonly stdoutIsTerminal: boolean;
}

/** The settings that a command may need, resolved from flags, environment and profile. */
export interface CommandSettings {
  readonly version: string;
  readonly output: string;
  /** The command line sets a format other than table. */
  readonly formatTyped: boolean;
  /** The command line sets the table format or an option of tables. */
  readonly tableTyped: boolean;
  readonly sandbox: boolean;
  readonly dryRun: boolean;
  /** False with `--no-validate`: the service decides what is valid. */
  readonly validate: boolean;
  readonly profile: string;
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  /** The source of the key, and its last four characters. */
  readonly credential: Credential | undefined;
  /** Values that the profile sets, by configuration key. */
  readonly profileValues: ProfileValues;
}

/** A service and the key to use. */
export interface Place {
  readonly baseUrl: string;
  readonly inferenceBaseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** The environment variables that commands may read. */
export type VisibleEnvironment = Readonly<Partial<Record<(typeof visibleVariables)[number], string>>>;
export const visibleVariables = [
  "HOME",
  "USERPROFILE",
  "SHELL",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
  "ALL_PROXY",
  "all_proxy",
] as const;
