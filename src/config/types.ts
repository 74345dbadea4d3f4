import type { Processes } from "../core/tasks/lock.ts";
/** The access to files that the configuration needs. */
export interface ConfigFiles {
  readonly folders: { readonly config: string };
  readonly processes: Processes;
  /** The numeric ID of the user that runs gpuctl; undefined on systems without user IDs. */
  readonly user: number | undefined;
  /** The text of a small file; undefined if it does not exist. Throws if it cannot be read. */
  readonly readText: (path: string) => string | undefined;
  /** Undefined if the path does not exist. */
  readonly stat: (path: string) => { readonly owner: number; readonly mode: number } | undefined;
}

/** The parts of a global flag that settings depend on. */
export interface GlobalSetting {
  readonly name: string;
  /** The environment variable that applies if the flag is not used. */
  readonly env?: string;
  readonly default?: string;
  /** The default in words, if it is not a single value. */
  readonly defaultText?: string;
  readonly choices?: readonly string[];
}

/** The global flags on the command line: text for a value, true or false for a switch. */
export type CliSettings = { readonly [Name in SettingName]?: string | boolean };

export type SettingName =
  | "output"
  | "columns"
  | "header"
  | "jq"
  | "quiet"
  | "yes"
  | "input"
  | "profile"
  | "sandbox"
  | "base-url"
  | "inference-base-url"
  | "timeout"
  | "retries"
  | "dry-run"
  | "validate"
  | "insecure-http"
  | "debug"
  | "color";

/**
 * Runs a shell command and returns its stdout. Throws if the command fails or takes longer than `timeout` milliseconds.
 */
export type CommandOutput = (commandLine: string, options: { readonly timeout: number }) => Promise<string>;

/** The keys of the sandbox. */
export interface SandboxKeys {
  readonly keys: { readonly full: string };
  /** Whether a secret is one of the sandbox's keys, revoked or not. */
  readonly hasKey: (secret: string) => boolean;
}

export interface Credential {
  /** Says where the key comes from, such as `GPUCTL_API_KEY` or `profile "work"`. */
  readonly source: string;
  /** The last four characters of the key. Empty if the key is short, or if it comes from `apiKeyCommand`. */
  readonly lastFour: string;
}

/** The stored profiles. Changes are atomic. Concurrent changes do not overwrite each other. */
export interface Profiles {
  readonly path: string;
  readonly list: () => readonly ProfileSummary[];
  /** Every configuration key, with its effective value for the current profile. */
  readonly effective: () => readonly EffectiveValue[];
  /** Changes a profile, or creates it if it does not exist. */
  readonly save: (name: string, change: ProfileChange) => Promise<void>;
  /** Creates a profile. Throws `UsageError` if the profile exists. */
  readonly add: (name: string, change: ProfileChange) => Promise<void>;
  readonly use: (name: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  /** Removes the key of a profile. Returns false if the profile had none. */
  readonly removeKey: (name: string) => Promise<boolean>;
  /** Describes what is wrong with a profile name. Undefined if the name is valid. */
  readonly nameProblem: (name: string) => string | undefined;
  /**
   * Describes a configuration key: a phrase such as "Region of new rentals", and the choices. Undefined if there is no
   * such key.
   */
  readonly describeKey: (
    name: string,
  ) => { text: string; choices: readonly string[] | undefined } | undefined;
}

export interface ProfileSummary {
  readonly name: string;
  /** Used in this run. */
  readonly inUse: boolean;
  /** Used if no flag or variable sets another profile. */
  readonly isDefault: boolean;
  readonly settings: ProfileValues;
  readonly key: Credential | undefined;
}

/** Values of a profile by configuration key, as typed. */
export type ProfileValues = Readonly<Partial<Record<string, string>>>;

export interface EffectiveValue {
  readonly key: string;
  readonly value: string | null;
  /** A variable, a profile, or "default". Null if there is no value. */
  readonly source: string | null;
  readonly meaning: string;
}

export interface ProfileChange {
  readonly apiKey?: string;
  /** New values by configuration key, as typed. Undefined removes a value. */
  readonly settings?: ProfileValues;
}

export interface Secrets {
  /** Reads a key from stdin, or prompts for it without echo. */
  readonly readKey: (options: { fromStdin: boolean }) => Promise<string>;
  /** The key that requests are sent with; runs `apiKeyCommand` if needed. Throws `NoCredential` if there is none. */
  readonly keyInUse: () => Promise<KeyInUse>;
  /** The key of a profile, even if another key is in use. */
  readonly profileKey: (profile: string) => Promise<string | undefined>;
  /** The key that a command prints. */
  readonly keyFrom: (commandLine: string) => Promise<string>;
}

export interface KeyInUse {
  readonly key: string;
  readonly source: string;
}
