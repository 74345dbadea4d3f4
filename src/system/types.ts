import type { Processes } from "../core/tasks/lock.ts";
import type { Environment } from "../core/urls.ts";

/**
 * Everything outside gpuctl that it reads, writes or starts. `node.ts` has the real implementation; tests use their
 * own.
 */
export interface System {
  readonly env: Environment;
  readonly io: Io;
  readonly clock: Clock;
  readonly files: Files;
  readonly programs: Programs;
  readonly machine: Machine;
  /** Aborted by Ctrl-C, a closed terminal or a termination signal. */
  readonly interrupted: AbortSignal;
  /**
   * Runs work that Ctrl-C cancels without ending gpuctl: the first Ctrl-C only aborts the signal passed to `work`. A
   * second Ctrl-C, or another signal of the operating system, aborts `interrupted`. If `anySignal` is true, a closed
   * terminal and a termination signal count as Ctrl-C.
   */
  readonly interruptible: <Value>(
    work: (signal: AbortSignal) => Promise<Value>,
    options?: { readonly anySignal: boolean },
  ) => Promise<Value>;
  readonly random: () => number;
}

/** Standard streams, prompts and progress. */
export interface Io {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly prompts: () => Promise<Prompts>;
  readonly spinner: (text: string, options: SpinnerOptions) => Promise<Spinner>;
  readonly lineEditor: (options: LineEditorOptions) => Promise<LineEditor>;
  /**
   * Asks the terminal to copy a text to the clipboard. Not every terminal supports this. Returns false, without asking,
   * if the text is too long.
   */
  readonly copy: (text: string) => boolean;
  /**
   * Switches stdout to a separate screen and hides the cursor. `redraw` is called when the size of the window changes
   * and when a stopped process continues. Every terminal mode is restored when the returned function is called or the
   * process ends or stops.
   */
  readonly fullScreen: (options: {
    readonly color: boolean;
    readonly redraw: () => void;
  }) => Promise<() => void>;
}

/**
 * Reads lines from the terminal, with line editing. Between two reads, other programs and prompts may use the terminal.
 */
export interface LineEditor {
  /** Reads a line. Several pasted lines are read as one line that contains line feeds. */
  readonly read: (prompt: string) => Promise<LineRead>;
  /** Adds an entry to the history, which the Up key shows. */
  readonly remember: (entry: string) => void;
  readonly close: () => void;
}

/**
 * A line, or the key that was pressed instead: Ctrl-C, or Ctrl-D on an empty line. `cleared` is true if Ctrl-C
 * discarded text.
 */
export type LineRead =
  | { readonly line: string }
  | { readonly key: "ctrl-c"; readonly cleared: boolean }
  | { readonly key: "ctrl-d" };

export interface LineEditorOptions {
  /** Earlier entries, oldest first. */
  readonly history: readonly string[];
  /** Returns the completions for the Tab key: `replaced` is the end of the line that one of `choices` replaces. */
  readonly complete: (line: string) => Promise<LineCompletion>;
}

export interface LineCompletion {
  readonly replaced: string;
  readonly choices: readonly string[];
}

export interface Source {
  readonly isTTY: boolean;
  /**
   * Reads to the end. If there are more than `maxBytes`, stops reading and rejects with `InputTooLarge`. If the signal
   * is aborted, rejects at once with its reason, even if the end has just arrived.
   */
  readonly read: (options: ReadOptions) => Promise<Uint8Array>;
  /** Yields chunks as they arrive, until the input ends. If the signal is aborted, closes the input and throws. */
  readonly pieces: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Called once if the end has not arrived after `patience` milliseconds. */
  readonly onWait: () => void;
  readonly patience: number;
  readonly maxBytes: number;
}

export interface Sink {
  readonly isTTY: boolean;
  /** Terminal width; 0 if unknown. */
  readonly columns: number;
  /** Terminal height; 0 if unknown. */
  readonly rows: number;
  /**
   * Resolves when the chunk is written, and rejects if it cannot be written. A closed pipe ends the process quietly or,
   * if `reportsClosedPipe` is true, rejects the promise. On stderr, a closed pipe and failed writes are ignored, unless
   * `reportsErrors` is true.
   */
  readonly write: (chunk: string | Uint8Array, options?: WriteOptions) => Promise<void>;
}

export interface WriteOptions {
  readonly reportsClosedPipe?: boolean;
  readonly reportsErrors?: boolean;
  /**
   * The text contains control sequences for the terminal: for colors or, if `pictures`, for pictures as well. The
   * caller has already sanitized any outside text in it.
   */
  readonly drawn?: boolean | "pictures";
}

/** A terminal that can draw pictures, and its size in cells. */
export type PictureTerminal = {
  readonly columns: number;
  readonly rows: number;
} & (
  | { readonly draws: "kitty" | "iterm2" }
  /** Each cell is a half block of two pixels, one above the other. */
  | { readonly draws: "blocks"; readonly colors: "truecolor" | "256" }
);

/**
 * Opens files with the system's viewer. On Linux and Windows, opens only the first few of many files. `paths` are
 * absolute. Returns how many files were opened.
 */
export type Viewer = (paths: readonly string[]) => Promise<number>;

export interface SpinnerOptions {
  readonly color: boolean;
  /** Text after the message, computed for each frame. */
  readonly suffix: () => string;
}

export interface Spinner {
  readonly update: (text: string) => void;
  readonly stop: () => void;
}

/** Every question rejects with `Interrupted` on Ctrl-C, on Ctrl-D at an empty prompt, and when the terminal closes. */
export interface Prompts {
  readonly text: (question: TextQuestion) => Promise<string>;
  readonly secret: (question: Question) => Promise<string>;
  readonly choose: (question: ChoiceQuestion) => Promise<string>;
  /** Drops what the user typed before the question, because that cannot be an answer. */
  readonly confirm: (question: YesNoQuestion) => Promise<boolean>;
  /** Shows the outcome of a check between two questions, marked as a success or a failure. */
  readonly report: (outcome: "success" | "failure", text: string) => void;
}

export interface Question {
  readonly message: string;
  /** The problem with an answer; undefined if it is valid. */
  readonly validate?: (answer: string) => string | undefined;
}

export interface TextQuestion extends Question {
  /** The answer confirms something, so what was typed before the question is dropped. */
  readonly confirms?: boolean;
  /** The default answer. */
  readonly initial?: string | undefined;
}

export interface ChoiceQuestion extends Question {
  readonly choices: readonly string[];
  /** Display names, by choice. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly initial?: string | undefined;
  /** A choice that is offered whatever the user searches for. */
  readonly always?: string;
  /** Does not show what is typed, and does not search for it: a key that is pasted here stays hidden. */
  readonly hidesTyped?: boolean;
}

export interface YesNoQuestion extends Question {
  /** The default answer; no if omitted. */
  readonly initial?: boolean;
}

/** Times are milliseconds since the epoch. */
export interface Clock {
  readonly now: () => number;
  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface Files {
  /** The current folder. Throws `Unavailable` if it was deleted. */
  readonly cwd: string;
  /** Throws `Unavailable` if there is no home folder and no variable names the folder. */
  readonly folders: { readonly config: string; readonly state: string; readonly temporary: string };
  /** The numeric user id; undefined on platforms without one. */
  readonly user: number | undefined;
  readonly processes: Processes;
  /**
   * Reads a file, a pipe or a device. If there are more than `maxBytes`, stops reading and rejects with
   * `InputTooLarge`. The signal ends the wait for a pipe or a terminal.
   */
  readonly read: (path: string, maxBytes: number, signal: AbortSignal) => Promise<Uint8Array>;
  /** The text of a small file; undefined if it does not exist. Throws if it cannot be read. */
  readonly readText: (path: string) => string | undefined;
  /** Undefined if the path does not exist. */
  readonly stat: (path: string) => PathFacts | undefined;
  readonly isWritable: (path: string) => boolean;
}

export interface PathFacts {
  /** Permission bits, such as 0o600. */
  readonly mode: number;
  readonly owner: number;
  readonly isFolder: boolean;
}

/**
 * Other programs. All functions but `capture`, `feed` and `which` throw `Unavailable` if the program cannot be started.
 */
export interface Programs {
  /**
   * Runs a program with gpuctl's stdin, stdout and stderr. Resolves with its exit status, or 128 + the number of the
   * signal that ended it.
   */
  readonly run: (program: string, args: readonly string[]) => Promise<number>;
  /**
   * Runs a program without input, with variables added to the environment, and ignores its stdout. Resolves with its
   * exit status and its stderr, or throws `Unavailable`. If the user interrupts, stops the program and rejects with the
   * reason.
   */
  readonly runQuietly: (
    program: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<{ readonly status: number; readonly stderr: string }>;
  /**
   * Runs a shell command with a text as its stdin and variables added to the environment. Its stderr goes to gpuctl's
   * stderr, and its stdout is ignored. Throws `ProgramFailed` if it fails, or takes longer than `timeout` milliseconds
   * and is killed.
   */
  readonly shell: (
    commandLine: string,
    options: {
      readonly input: string;
      readonly env: Readonly<Record<string, string>>;
      readonly timeout: number;
    },
  ) => Promise<void>;
  /**
   * The stdout of a shell command. `timeout` is in milliseconds. Throws `ProgramFailed` if it fails or times out. If
   * the user interrupts, stops the command and rejects with the reason.
   */
  readonly output: (commandLine: string, options: { readonly timeout: number }) => Promise<string>;
  /**
   * The stdout of a program that runs without input, in a session of its own, so that a shell cannot take over the
   * terminal. It is killed after `timeout` milliseconds. Undefined if it cannot be started or a signal ends it.
   */
  readonly capture: (
    program: string,
    args: readonly string[],
    options: { readonly timeout: number },
  ) => Promise<string | undefined>;
  /**
   * Runs a program and passes on its output in chunks as they arrive. Resolves with its exit status, or 128 + the
   * number of the signal that ended it. When `signal` is aborted, stops the program and resolves with its status.
   */
  readonly stream: (program: string, args: readonly string[], options: StreamOptions) => Promise<number>;
  /** Runs a program with an input as its stdin, and returns whether it succeeded. */
  readonly feed: (program: string, args: readonly string[], input: string | Uint8Array) => Promise<boolean>;
  /**
   * Starts a program that continues after gpuctl exits. It has no standard streams, and gets variables added to its
   * environment. Throws `Unavailable` if it cannot be started.
   */
  readonly start: (
    program: string,
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ) => Promise<void>;
  /** Finds a program in `PATH`. */
  readonly which: (program: string) => Promise<string | undefined>;
}

export interface StreamOptions {
  readonly cwd: string;
  /** Text to write to the program's stdin. */
  readonly input?: string;
  /** Keeps stdin open after the text, until the program ends. */
  readonly keepsInputOpen?: boolean;
  /** Called for each chunk, after the call for the previous chunk has finished. */
  readonly onStdout: (chunk: Uint8Array) => void | Promise<void>;
  readonly onStderr: (chunk: Uint8Array) => void | Promise<void>;
  readonly signal: AbortSignal;
}

export interface Machine {
  readonly nodeVersion: string;
  readonly platform: string;
  readonly home: string;
  /** The bytes that the user can still write to the file system of a path; undefined if this is not known. */
  readonly freeBytes: (path: string) => number | undefined;
}
