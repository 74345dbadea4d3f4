import type { Call } from "../client/call.ts";
import type { Description } from "../client/document.ts";
import type { Knock } from "../client/knock.ts";
import type { List } from "../client/list.ts";
import type { RawCall } from "../client/raw-call.ts";
import type { Stream } from "../client/stream.ts";
import type { Prompts } from "./questions.ts";

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
  readonly profiles: Profiles;
  readonly secrets: Secrets;
  /** Prompts for the user. Throws `UsageError` where nobody can be asked; `instead` says what does it unasked. */
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
  readonly installation: Installation;
  /** Aborted when the user interrupts. */
  readonly interrupted: AbortSignal;
}

/**
 * The service's own description, as kept or as asked for; `refresh` asks in any case. With `orDocumented` it is what is
 * documented where the service's own cannot be had; so it is in a dry run, in which nothing is sent.
 */
export type Describe = (wish?: {
  readonly refresh?: boolean;
  readonly orDocumented?: boolean;
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

export interface Credential {
  /** Such as `GPUCTL_API_KEY` or `profile "work"`. */
  readonly source: string;
  /** Empty for a key that is too short, and for one that a program is yet to print. */
  readonly lastFour: string;
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

/** A user's standing wishes, kept in a profile. Money is in dollars, as typed. */
export interface Defaults {
  readonly imageModel: string | undefined;
  readonly chatModel: string | undefined;
  readonly maxCost: string | undefined;
  readonly maxBurn: string | undefined;
}

/** Profiles as they are kept. Every change is written whole, or not at all, and none is lost to another process. */
export interface Profiles {
  readonly path: string;
  readonly list: () => readonly KeptProfile[];
  /** Every key of the configuration with the value that counts for the profile in use. */
  readonly inForce: () => readonly ValueInForce[];
  /** Changes a profile, or makes it. */
  readonly save: (name: string, change: ProfileChange) => Promise<void>;
  /** Makes a profile; throws `UsageError` when it is there. */
  readonly add: (name: string, change: ProfileChange) => Promise<void>;
  readonly use: (name: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly forgetKey: (name: string) => Promise<boolean>;
}

export interface KeptProfile {
  readonly name: string;
  readonly inUse: boolean;
  /** The one in use where no flag and no variable names another. */
  readonly usual: boolean;
  /** Values by key, as typed. */
  readonly settings: KeptSettings;
  readonly key: Credential | undefined;
}

/** Values of a profile by the keys of the configuration, as typed. */
export type KeptSettings = Readonly<Partial<Record<string, string>>>;

export interface ValueInForce {
  readonly key: string;
  readonly value: string | null;
  /** A variable, a profile, or the default of the tool. */
  readonly source: string | null;
  readonly meaning: string;
}

export interface ProfileChange {
  readonly apiKey?: string;
  /** Values by the keys of the configuration, as typed; undefined takes one away. */
  readonly settings?: KeptSettings;
}

export interface Secrets {
  /** A key from stdin, or typed unseen on a terminal. */
  readonly readKey: (options: { fromStdin: boolean }) => Promise<string>;
  /** The key that requests are sent with; a program that prints it is run. Throws `NoCredential` when there is none. */
  readonly keyInUse: () => Promise<KeyInUse>;
  /** The key of a profile, whatever else is in use. */
  readonly keptKey: (profile: string) => Promise<string | undefined>;
  /** The key that a program prints. */
  readonly keyFrom: (commandLine: string) => Promise<string>;
}

export interface KeyInUse {
  readonly key: string;
  readonly source: string;
}

/** Other programs of this machine. Each throws `Unavailable` when the program cannot be started. */
export interface Programs {
  /** Runs a program with our stdin, stdout and stderr; its exit status, or 128 and the number of the signal that ended it. */
  readonly run: (program: string, args: readonly string[]) => Promise<number>;
  /** What a command line of the user's shell prints on stdout; throws `ProgramFailed` when its exit status is not 0. */
  readonly output: (commandLine: string, options: { readonly timeout: number }) => Promise<string>;
}

export type Shell = "bash" | "zsh" | "fish" | "powershell";

/** The service on this machine. */
export interface SandboxControl {
  readonly keys: { readonly full: string; readonly readOnly: string };
  readonly limits: readonly { readonly id: string; readonly text: string }[];
  readonly status: () => unknown;
  /** Each gives the clock as it is then; a moment or a span is in milliseconds. Throws `ControlRefused`. */
  readonly clock: {
    readonly show: () => unknown;
    readonly freeze: () => unknown;
    readonly resume: () => unknown;
    readonly advance: (milliseconds: number) => unknown;
    readonly set: (moment: number) => unknown;
  };
  /** Throws `ControlRefused` that names each value at fault. */
  readonly faults: {
    readonly add: (fault: object) => unknown;
    readonly list: () => readonly unknown[];
    /** Forgets one or all, and says how many that were. */
    readonly clear: (id?: number) => number;
  };
  /** The last requests, the oldest of them first. */
  readonly requests: (limit: number) => readonly unknown[];
  readonly seed: (text: string) => Promise<void>;
  readonly snapshot: () => unknown;
  readonly restore: (text: string) => void;
  readonly reset: () => void;
  readonly serve: (options: { host: string; port: number }) => Promise<{
    readonly url: string;
    readonly close: () => Promise<void>;
  }>;
}

/** This machine, to be looked at. Nothing of it changes anything. */
export interface Machine {
  readonly nodeVersion: string;
  /** The versions of Node.js that gpuctl runs on, such as `>=20.19`. */
  readonly neededNode: string;
  readonly platform: string;
  /** The number of the user; nothing where users have none. */
  readonly userId: number | undefined;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The path of a program that `PATH` leads to. */
  readonly which: (program: string) => Promise<string | undefined>;
  /** What is known of a file or a folder; nothing when it is not there. */
  readonly stat: (path: string) => Promise<PathFacts | undefined>;
  readonly readText: (path: string) => Promise<string | undefined>;
  /** The proxy that the environment names for a URL. */
  readonly proxyFor: (url: string) => Promise<string | undefined>;
  /** What a host shows of itself, without a key; throws when it cannot be reached within so many milliseconds. */
  readonly knock: (url: string, timeout: number) => Promise<Knock>;
  readonly sandboxHealth: () => Promise<SandboxHealth>;
}

export interface PathFacts {
  /** Permission bits, such as 0o600. */
  readonly mode: number;
  readonly owner: number;
  readonly isFolder: boolean;
  readonly writable: boolean;
}

/** The machine, and what gpuctl is set to on it. */
export interface Installation extends Machine {
  readonly configPath: string;
  /** Why the configuration cannot be read. */
  readonly configProblem: () => string | undefined;
  readonly stateFolder: string;
  /** Whether stdin, stdout and stderr are a terminal, its width, and whether text has colours. */
  readonly terminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
    readonly columns: number;
    readonly color: boolean;
  };
}

/** What the sandbox needs, and how its state is. */
export interface SandboxHealth {
  readonly packages: readonly { readonly name: string; readonly use: string; readonly problem?: string }[];
  readonly file: string;
  readonly exists: boolean;
  readonly problem?: string;
}
