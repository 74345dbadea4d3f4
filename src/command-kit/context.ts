import type { Call, RawCall } from "../client/call.ts";
import type { Description } from "../client/description.ts";
import type { List } from "../client/list.ts";
import type { Stream } from "../client/stream.ts";
import type { Credential, Defaults, Profiles, Secrets } from "../config/types.ts";
import type { Shell } from "../core/shells.ts";
import type { Programs, Prompts } from "../system/types.ts";
import type { Installation, SandboxControl, SandboxFacts } from "./ports.ts";

export type {
  Credential,
  Defaults,
  ProfileChange,
  ProfileSummary,
  Profiles,
  ProfileValues,
  Secrets,
} from "../config/types.ts";
export type { Programs } from "../system/types.ts";
export type * from "./ports.ts";
export type * from "./ports.ts";

/** All that a command may touch. Each command narrows it to what it uses, as in `Pick<Context, "call" | "say">`. */
export interface Context {
  readonly call: Call;
  readonly stream: Stream;
  /** For a list that may be longer than memory. */
  readonly list: List;
  /** Sends a request that the contract need not know. */
  readonly request: RawCall;
  /** The service's own description. */
  readonly describe: Describe;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The same by the clock of the service, as its last answer told it. */
  readonly serviceNow: () => number;
  /** Waits; rejects at once when the user interrupts. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** A line for people, on stderr; silent with `--quiet`. */
  readonly say: (line: string) => void;
  /** Replaces the line that is told with a failure of this command, such as what was saved before it. */
  readonly ifItFails: (line: string) => void;
  /** Shows on a terminal that work is under way; elsewhere just does it. */
  readonly progress: <Value>(text: string, work: (update: Update) => Promise<Value>) => Promise<Value>;
  readonly files: Files;
  readonly settings: CommandSettings;
  /** Aborted when the user interrupts. */
  readonly interrupted: AbortSignal;
}

/** What only some commands need; a command names those that it uses. */
export interface Ports {
  readonly profiles: Profiles;
  readonly secrets: Secrets;
  /** Prompts for the user. Throws `UsageError` when not running interactively; `instead` says what works without. */
  readonly ask: (instead: string) => Promise<Prompts>;
  /** Calls to a service that no setting names yet. */
  readonly callAt: (place: Place) => Call;
  readonly environment: VisibleEnvironment;
  readonly programs: Programs;
  /** The completion script for a shell, the same text as in `completions/`. */
  readonly completionScript: (shell: Shell) => Promise<string>;
  /** Help on a command or a topic; throws `UsageError` when the words name neither. */
  readonly helpOn: (words: readonly string[]) => Promise<string>;
  readonly sandbox: () => Promise<SandboxControl>;
  /** Known without opening its state. */
  readonly sandboxFacts: () => Promise<SandboxFacts>;
  readonly installation: Installation;
}

/**
 * The service's own description, from the cache or fetched; `refresh` ignores the cache. Where it cannot be fetched,
 * the documented API is used if `orDocumented` accepts it. A dry run fetches nothing: it uses the cached description or
 * the documented API. With a `timeout` in milliseconds it is the service's own or an error, `UsageError` in a dry run.
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
  /** An absolute path. */
  readonly resolve: (path: string) => string;
  /** A folder for what has no other place. */
  readonly temporary: string;
  readonly stdoutIsTerminal: boolean;
}

/** What the flags, the environment and the profile came to, as far as a command needs to know. */
export interface CommandSettings {
  readonly version: string;
  readonly output: string;
  /** The command line itself asks for another format than the table. */
  readonly formatTyped: boolean;
  /** The command line itself asks for a table, or for something about one. */
  readonly tableTyped: boolean;
  readonly sandbox: boolean;
  readonly dryRun: boolean;
  /** False when the service is to decide. */
  readonly validate: boolean;
  readonly profile: string;
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  /** Where the key comes from, and its last four characters. */
  readonly credential: Credential | undefined;
  readonly defaults: Defaults;
}

/** A service, and who asks it. */
export interface Place {
  readonly baseUrl: string;
  readonly inferenceBaseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** What a command may know of the environment. */
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
