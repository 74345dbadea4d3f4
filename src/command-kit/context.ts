import type { Call, Prepare, RawCall } from "../client/call.ts";
import type { Description } from "../client/description.ts";
import type { List, RawList } from "../client/list.ts";
import type { Probe } from "../client/probe/probe.ts";
import type { Stream } from "../client/stream.ts";
import type { Credential, Profiles, ProfileValues, Secrets } from "../config/types.ts";
import type { OperationId } from "../contract/index.ts";
import type { Redactor } from "../core/redact.ts";
import type { Result } from "../core/result.ts";
import type { Shell } from "../core/runtime/shells.ts";
import type { ExpectationResult, StateProblem } from "../core/sandbox.ts";
import type { Processes } from "../core/tasks/lock.ts";
import type { Environment } from "../core/urls.ts";
import type { InputKind } from "../core/values/input-limits.ts";
import type {
  Io,
  Machine,
  PathFacts,
  PictureTerminal,
  Programs,
  Prompts,
  System,
  Viewer,
} from "../system/types.ts";
import type { CommandNode } from "./tree.ts";

/** What every command gets. Helpers take only what they use, as in `Pick<Context, "call" | "say">`. */
export interface Context {
  readonly call: Call;
  readonly stream: Stream;
  /** Returns records as they arrive, for a list that may not fit in memory. */
  readonly list: List;
  /** Sends any request, even one that the contract does not describe. */
  readonly request: RawCall;
  /** Like `request`, for a response that may be a long list. */
  readonly requestList: RawList;
  readonly prepare: Prepare;
  /** The service's OpenAPI description. */
  readonly describe: Describe;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The service's time according to its last response, in milliseconds since the epoch. */
  readonly serviceNow: () => number;
  /** Rejects at once if the user interrupts or the signal is aborted. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Prints a line to stderr; silent with `--quiet`. */
  readonly say: (line: string) => void;
  /** Masks API keys, even ones that arrive in pieces. Needed only for stored text: printed text is masked later. */
  readonly redactor: Pick<Redactor, "redact" | "stream">;
  /**
   * Sets a line to print if the command fails later, for example to say what was already saved. Undefined removes the
   * line. If `evenIfUnread` is true, the line is also printed if the program that reads the result has closed the pipe.
   */
  readonly setFailureContext: (
    line: string | undefined,
    options?: { readonly evenIfUnread: boolean },
  ) => void;
  /**
   * Runs `work`, and shows a progress line on a terminal. `lines` is called for each frame, and returns up to `max`
   * lines to show below the progress line.
   */
  readonly progress: <Value>(
    text: string,
    work: (update: Update) => Promise<Value>,
    lines?: (max: number) => readonly string[],
  ) => Promise<Value>;
  readonly files: Files;
  readonly settings: CommandSettings;
  /** Aborted when the user interrupts. */
  readonly interrupted: AbortSignal;
}

/** Functions and facts that only some commands need. In `uses`, a command lists the ports that it needs. */
export interface Ports {
  readonly profiles: Profiles;
  readonly secrets: Secrets;
  /** Returns the prompts. If the command does not run interactively, throws `UsageError` with the hint `instead`. */
  readonly ask: (instead: string) => Promise<Prompts>;
  /** Where the command acts, as shown when it asks for confirmation: the profile and host, or the sandbox. */
  readonly place: string;
  /** Adds the service flags of this command line, such as `--sandbox`, to the command lines in a text. */
  readonly withServiceFlags: (text: string) => string;
  /**
   * After prompts, gpuctl prints a command line that repeats the run without prompts. This function sets the flag for a
   * field in that line. If it was called, gpuctl prints the line even if the run had no prompts. For commands that use
   * this port, gpuctl prints the line after the run instead of before.
   */
  readonly changeLine: (field: string, flag: readonly [name: string, value: string]) => void;
  /**
   * Checks the limits of the profile that the operation's own command would check for this input. If they allow the
   * operation, or if there are none, calls `send`, which sends the operation. `operation` is its ID.
   */
  readonly withinLimits: <Value>(
    operation: string,
    input: object,
    send: () => Promise<Value>,
  ) => Promise<Value>;
  /**
   * The values of the flags that the user set on the command line or at prompts, by main name. Values from the
   * environment and the profile are not included.
   */
  readonly typedFlags: Readonly<Record<string, unknown>>;
  /** Returns a `Call` to a service that is not configured yet. */
  readonly callAt: (endpoint: Endpoint) => Call;
  /** Sends any request to a service that is not configured yet. */
  readonly requestAt: (endpoint: Endpoint) => RawCall;
  readonly environment: VisibleEnvironment;
  readonly programs: Programs;
  readonly pictures: PictureScreen;
  /** The completion script for a shell, the same text as in `completions/`. */
  readonly completionScript: (shell: Shell) => Promise<string>;
  /** Help for a command or a topic. Throws `UsageError` for any other words. */
  readonly helpOn: (words: readonly string[]) => Promise<string>;
  /** The sandbox to control: the local one, or a served one. Throws `NotFound` when the host is not a sandbox. */
  readonly sandbox: () => Promise<SandboxControl>;
  /**
   * Call this if the state of the local sandbox cannot be used. It moves the state file aside and returns the file's
   * new path. After that, `sandbox` opens a new state.
   */
  readonly setSandboxAside: () => Promise<string>;
  /** Facts about the sandbox to control, available without opening its state. */
  readonly sandboxFacts: SandboxFacts;
  /** Opens a sandbox to serve: the local one, or a new one in memory. */
  readonly sandboxServer: (options: { readonly memory: boolean }) => Promise<SandboxServer>;
  /**
   * With `--sandbox`, starts machines that stand in for the rentals. Until the command ends, each running rental has an
   * OpenSSH server on this computer, and its record has the server's address. Call this before the first request.
   * Without `--sandbox`, resolves with undefined. Throws `Unavailable` if sshd is not installed or cannot be used.
   */
  readonly startMachines: () => Promise<SandboxMachines | undefined>;
  readonly installation: Installation;
  readonly dialog: Dialog;
  /** Starts work that can be canceled and reported on its own, such as one tool call of an agent. */
  readonly task: (options: TaskOptions) => Task;
  /** The command with these words, or the one whose flags are the fields of an operation. */
  readonly commandNode: (command: string | { readonly operation: OperationId }) => CommandNode;
  /**
   * Describes an error with the fields of the error document. If the error has a response that was paid for, saves the
   * part that arrived. `doneBefore` says what was done before the error.
   */
  readonly failureOf: (error: unknown, doneBefore?: string) => Promise<Failure>;
  readonly messages: Messages;
  readonly attendance: Attendance;
  /**
   * Loads code that a command which runs for hours may need later: the whole program, or only what reports its end and
   * keeps what was paid for. An upgrade removes the files of the running version, so they could not be loaded then.
   */
  readonly preload: (part: "program" | "end") => Promise<void>;
}

/** Work within a command. */
export interface Task extends Context {
  /** Runs another command with these values and returns its result, without prompts, confirmation or output. */
  readonly run: (words: string, values?: Partial<TaskValues>) => Promise<Result>;
}

export interface TaskOptions extends Pick<Context, "say" | "setFailureContext"> {
  /**
   * When aborted, ends waits and reads, and prevents writes that have not been sent. A write that has been sent is not
   * interrupted.
   */
  readonly signal: AbortSignal;
  /** Receives the text of each progress line. */
  readonly onProgress: (text: string) => void;
}

/** The values of the command, as in `Values`. A flag that is not set has its default. */
interface TaskValues {
  readonly input: object;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Standard streams that carry the messages of a protocol. */
export interface Messages {
  readonly isTerminal: boolean;
  /** Yields what arrives on stdin, until stdin ends. If the signal is aborted, closes stdin and throws. */
  readonly read: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly write: (text: string) => Promise<void>;
  /** Prints a line on stderr, even with `--quiet`. */
  readonly log: (line: string) => void;
}

/** An error as users see it: the fields of the error document. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly issues: readonly unknown[];
  readonly status: number | null;
  readonly exitCode: number;
  /** Whether the same command may be retried unchanged. */
  readonly retryable: boolean;
  readonly hint: string | null;
  readonly request: { readonly method: string; readonly url: string } | null;
}

/** What a command needs to stay attached to a job until the job ends. */
export interface Attendance {
  /**
   * Does some work that can be interrupted. Ctrl-C, a closed terminal or a termination signal aborts the `AbortSignal`
   * that `work` gets.
   */
  readonly interruptible: <Value>(work: (signal: AbortSignal) => Promise<Value>) => Promise<Value>;
  /**
   * Writes output of the job to a stream as it arrives. On a terminal, the output is sanitized and written line by
   * line; otherwise, it is written unchanged. Resolves with false once the stream is closed or a write has failed.
   */
  readonly output: (stream: "stdout" | "stderr", bytes: Uint8Array) => Promise<boolean>;
  /** Writes the last line of each stream, if it is not complete. */
  readonly endOutput: () => Promise<void>;
  /** Why output could not be written, such as a full disk. Undefined if all was written or the pipe was closed. */
  readonly outputFailure: () => Error | undefined;
  /** An environment variable; undefined for the variables of gpuctl itself. */
  readonly variable: (name: string) => string | undefined;
}

/** For a conversation on the terminal: the command reads lines, prints several results and continues after failures. */
export interface Dialog {
  /** Whether someone can type on a terminal, the output is a table on a terminal, and this is not a dry run. */
  readonly isPossible: boolean;
  readonly lineEditor: Io["lineEditor"];
  /**
   * Does some work that Ctrl-C can end without ending the command. Ctrl-C aborts the `AbortSignal` that `work` gets.
   */
  readonly interruptible: System["interruptible"];
  /** Prints a result in the same way as other commands print theirs when they end. */
  readonly print: (result: Result) => Promise<void>;
  /** Prints lines for the user, even with `--quiet`. */
  readonly show: (...lines: readonly string[]) => void;
  /**
   * Reports an error in the same way as other commands report theirs when they end. If the error has a response that
   * was paid for, saves the response and names the file.
   */
  readonly report: (error: unknown) => Promise<void>;
  /**
   * Saves the response of an error that is not reported, and returns a sentence that names the file. Returns undefined
   * if the error has no response that was paid for.
   */
  readonly kept: (error: unknown) => Promise<string | undefined>;
  /** Opens a text in the user's editor and returns the edited text. Throws `Unavailable` or `ProgramFailed`. */
  readonly edit: (text: string) => Promise<string>;
  /**
   * Copies a text to the clipboard, both through the terminal and with a program of the system. Returns "copied" if a
   * program copied the text. Otherwise, returns "sent" if the text was sent to the terminal, and "too long" if it is
   * too long for the terminal.
   */
  readonly copy: (text: string) => Promise<"copied" | "sent" | "too long">;
}

/**
 * Returns the service's OpenAPI description, from the cache or fetched; `refresh` ignores the cache. If the description
 * cannot be fetched, returns the documented API if `orDocumented` accepts it, and otherwise throws the error. In a dry
 * run, fetches nothing: if no description is cached, returns the documented API, or throws a `UsageError` if
 * `orDocumented` rejects it. With `timeout` (milliseconds), throws instead of returning the documented API, except in
 * the sandbox.
 */
export type Describe = (options?: {
  readonly refresh?: boolean;
  readonly orDocumented?: (documented: Description) => boolean;
  readonly timeout?: number;
}) => Promise<Description>;

/** Changes the text that `progress` shows. */
export type Update = (text: string) => void;

export interface Files {
  /**
   * Reads the bytes of a file, or of stdin if `path` is `-`. If that fails, throws a `UsageError` that names `from`,
   * the flag or the argument with the path. `kind` sets how large the file may be. Default: text.
   */
  readonly read: (path: string, from: string, kind?: InputKind) => Promise<Uint8Array>;
  /** Makes a path absolute. */
  readonly resolve: (path: string) => string;
  readonly processes: Processes;
  /** The folder for temporary files. */
  readonly temporary: string;
  /** The folder for what gpuctl remembers between runs. Throws `Unavailable` if there is no home folder. */
  readonly state: string;
  readonly stdoutIsTerminal: boolean;
}

/** The settings that a command may need, resolved from flags, environment and profile. */
export interface CommandSettings {
  readonly version: string;
  readonly output: string;
  /** Whether the command line has `--jq` or sets a format other than table. */
  readonly formatFromCli: boolean;
  /** Whether the command line sets the table format or an option of tables. */
  readonly tableFromCli: boolean;
  /** The words of `--columns`. */
  readonly columns: readonly string[] | undefined;
  /** The filter of `--jq`. */
  readonly jq: string | undefined;
  readonly sandbox: boolean;
  readonly dryRun: boolean;
  /** Whether the command runs without asking for confirmation. */
  readonly yes: boolean;
  readonly retries: number;
  /** Milliseconds for one attempt. */
  readonly timeout: Readonly<Record<"compute" | "inference", number>>;
  /** Whether a key may be sent over plain http to another machine. */
  readonly insecureHttp: boolean;
  /** False with `--no-validate`: the service decides what is valid. */
  readonly validate: boolean;
  readonly profile: string;
  readonly baseUrl: string | undefined;
  readonly inferenceBaseUrl: string | undefined;
  /** The base URL of the served sandbox to control; undefined for the local one. */
  readonly servedSandbox: string | undefined;
  /** The source of the key, and its last four characters. */
  readonly credential: Credential | undefined;
  /** Values that the profile sets, by configuration key. */
  readonly profileValues: ProfileValues;
}

/** A service and the key to use. */
export interface Endpoint {
  readonly baseUrl: string;
  readonly inferenceBaseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
}

/** The environment variables that commands may read. */
export type VisibleEnvironment = Readonly<Partial<Record<(typeof visibleVariables)[number], string>>>;
export const visibleVariables = [
  "GPUCTL_PROFILE",
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
  "ALL_PROXY",
  "all_proxy",
  // In a Kubernetes Indexed Job, a Slurm array or a GitLab pipeline, these say which of the parallel tasks gpuctl runs
  // in.
  "JOB_COMPLETION_INDEX",
  "SLURM_ARRAY_TASK_ID",
  "SLURM_ARRAY_TASK_MIN",
  "SLURM_ARRAY_TASK_COUNT",
  "CI_NODE_INDEX",
  "CI_NODE_TOTAL",
] as const;

type Awaitable<Value> = Value | Promise<Value>;

/** Facts that do not depend on the state of a sandbox. */
export interface SandboxFacts {
  readonly keys: () => Promise<BuiltInKeys>;
  /** The sandbox's assumptions where the API documentation is silent, each with its `id` and `text`. */
  readonly limits: () => Promise<readonly unknown[]>;
}

export interface BuiltInKeys {
  readonly full: string;
  readonly readOnly: string;
}

/** The controls of a sandbox. If the sandbox is served, they return promises. */
export interface SandboxControl {
  readonly status: () => unknown;
  /**
   * Each function returns the new state of the clock. Times are in milliseconds. `advance` and `set` throw
   * `ControlRefused`.
   */
  readonly clock: {
    readonly show: () => unknown;
    readonly freeze: () => unknown;
    readonly resume: () => unknown;
    readonly advance: (milliseconds: number) => unknown;
    readonly set: (moment: number) => unknown;
  };
  /** `add` throws a `ControlRefused` that names what is invalid. */
  readonly faults: {
    readonly add: (fault: object) => unknown;
    readonly list: () => Awaitable<readonly unknown[]>;
    /** Removes one or all, and returns how many were removed. */
    readonly clear: (id?: number) => Awaitable<number>;
  };
  /** The user's own inference servers, which generate texts, images or speech instead of the sandbox. */
  readonly engines: {
    /** Saves an engine and asks it what it offers. Throws a `ControlRefused` that names what is invalid. */
    readonly set: (engine: object) => Promise<unknown>;
    readonly list: () => Awaitable<readonly unknown[]>;
    /** Removes the engine of a kind, or all, and returns how many were removed. */
    readonly clear: (kind?: string) => Awaitable<number>;
  };
  /** Rules for how new rentals boot. `add` throws a `ControlRefused` that names what is invalid. */
  readonly boots: {
    readonly add: (boot: object) => unknown;
    readonly list: () => Awaitable<readonly unknown[]>;
    /** Removes one or all, and returns how many were removed. */
    readonly clear: (id?: number) => Awaitable<number>;
  };
  /**
   * Situations of a real cloud, such as sold out GPUs, rate limits or a prepaid balance. `add` throws a
   * `ControlRefused` that names what is invalid.
   */
  readonly situations: {
    readonly add: (situation: object) => unknown;
    readonly list: () => Awaitable<readonly unknown[]>;
    /** Removes one or all, and returns how many were removed. */
    readonly clear: (id?: number) => Awaitable<number>;
  };
  /**
   * Replaces the situations, boot rules and faults with those of a scenario, and returns them. Throws `ControlRefused`
   * for an unknown scenario.
   */
  readonly scenario: (name: string) => Awaitable<readonly unknown[]>;
  /** The replies that a script sets for the chat models. */
  readonly chatScript: {
    /**
     * Parses a text as a script, and replaces the script with it. Throws a `ControlRefused` that names each invalid
     * field.
     */
    readonly load: (text: string) => Awaitable<readonly unknown[]>;
    readonly show: () => Awaitable<readonly unknown[]>;
    /** Removes the script, and returns how many replies it had. */
    readonly clear: () => Awaitable<number>;
  };
  /** The request log. Throws a `ControlRefused` that names what is invalid in a filter. */
  readonly requests: {
    /** The most recent matching requests, oldest first. */
    readonly list: (filter: object) => Awaitable<readonly unknown[]>;
    readonly count: (filter: object) => Awaitable<number>;
    /** Removes the matching requests, and returns how many were removed. An empty filter matches all. */
    readonly clear: (filter: object) => Awaitable<number>;
    readonly expect: (expectation: object) => Awaitable<ExpectationResult>;
  };
  readonly seed: (text: string) => Promise<void>;
  readonly snapshot: () => unknown;
  readonly restore: (text: string) => Awaitable<void>;
  readonly reset: () => Awaitable<void>;
}

/** The machines of the local sandbox. */
export interface SandboxMachines {
  /**
   * Options for `ssh`, `scp` and `sftp` to log in to the machines of a rental. Put them before all other options. They
   * set the host key and, if the rental was created without an SSH key, a private key of the sandbox. Empty if the
   * rental has no machine, for example because a seed gave the rental another address. Throws `Unavailable` if the
   * machine could not be started.
   */
  readonly sshOptions: (rentalId: number) => readonly string[];
}

export interface SandboxServer {
  readonly keys: BuiltInKeys;
  /**
   * Checks a seed, and returns a function that starts the sandbox over from the seed and a scenario. From then on, each
   * reset starts over from them, too. Throws `ControlRefused`.
   */
  readonly prepareStart: (start: {
    readonly seed: string | undefined;
    readonly scenario: string | undefined;
  }) => Promise<() => void>;
  /** `only` serves one set of operations; by default all are served. */
  readonly serve: (options: {
    readonly host: string;
    readonly port: number;
    /** The token that other machines need to use the controls. If undefined, other machines cannot use the controls. */
    readonly controlToken?: string | undefined;
    readonly only?: string | undefined;
    /** Starts machines for the running rentals, until this process ends. Throws `Unavailable`. */
    readonly machines?: boolean;
  }) => Promise<{
    readonly url: string;
    /** The private key that logs in to the machines of rentals that were created without an SSH key. */
    readonly identityFile?: string | undefined;
    readonly close: () => Promise<void>;
  }>;
}

/** Where pictures are shown: the terminal of stderr, and the viewer of the system. */
export interface PictureScreen {
  /** How the terminal draws pictures, or why it cannot. */
  readonly terminal: () => PictureTerminal | { readonly problem: string };
  /** Draws on the terminal. File names in the text must be sanitized already. */
  readonly draw: (text: string) => Promise<void>;
  /** Throws `UsageError` when there is no viewer. */
  readonly findViewer: () => Promise<Viewer>;
}

/** Facts about this machine and its gpuctl installation, for checks. Nothing here changes them. */
export interface Installation extends Machine, Pick<Programs, "which" | "capture"> {
  /** The versions of Node.js that gpuctl runs on, such as `>=20.19`. */
  readonly neededNode: string;
  /** The numeric id of the current user; undefined on systems without one. */
  readonly userId: number | undefined;
  readonly env: Environment;
  /** Undefined when the path does not exist or is not accessible. */
  readonly stat: (path: string) => Promise<(PathFacts & { readonly writable: boolean }) | undefined>;
  /** Undefined when the file cannot be read. */
  readonly readText: (path: string) => Promise<string | undefined>;
  /** The proxy that the environment sets for a URL. */
  readonly proxyFor: (url: string) => Promise<string | undefined>;
  /** Probes a host without a key. Throws when it cannot be reached within `timeout` milliseconds. */
  readonly probe: (url: string, timeout: number) => Promise<Probe>;
  readonly sandboxHealth: () => Promise<SandboxHealth>;
  readonly configPath: string;
  /** Why the configuration cannot be used, and what to do. Returns undefined if it can be used. */
  readonly configProblem: () => { readonly message: string; readonly hint: string } | undefined;
  readonly stateFolder: string;
  /** Which streams are terminals, the width in columns, and whether output is colored. */
  readonly terminal: {
    readonly stdin: boolean;
    readonly stdout: boolean;
    readonly stderr: boolean;
    readonly columns: number;
    readonly color: boolean;
  };
}

/** Whether the sandbox has the packages it needs, and can open its database. */
export interface SandboxHealth {
  readonly packages: readonly { readonly name: string; readonly use: string; readonly problem?: string }[];
  readonly file: string;
  readonly exists: boolean;
  /** Why the file cannot be used. */
  readonly problem?: string | undefined;
  readonly kind?: StateProblem | undefined;
}
