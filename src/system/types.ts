import type { Environment } from "../core/urls.ts";

/** The outside world: everything that gpuctl reads, writes or starts. `node.ts` makes the real one, tests their own. */
export interface System {
  readonly env: Environment;
  readonly io: Io;
  readonly clock: Clock;
  readonly files: Files;
  readonly programs: Programs;
  readonly machine: Machine;
  /** Aborted by Ctrl-C, a closed terminal or a request to end. */
  readonly interrupted: AbortSignal;
  readonly random: () => number;
}

/** Standard streams, and what is shown and asked on a terminal. */
export interface Io {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly prompts: () => Promise<Prompts>;
  readonly spinner: (text: string, options: SpinnerOptions) => Promise<Spinner>;
  /**
   * Hides the cursor of stdout until the returned function is called, or the process ends or stops. Then every mode of
   * the terminal is restored.
   */
  readonly hideCursor: (options: { readonly color: boolean }) => Promise<() => void>;
}

export interface Source {
  readonly isTTY: boolean;
  readonly read: () => Promise<Uint8Array>;
}

export interface Sink {
  readonly isTTY: boolean;
  /** Width of the terminal; 0 when unknown. */
  readonly columns: number;
  /** Height of the terminal; 0 when unknown. */
  readonly rows: number;
  /** Resolves when the chunk is written; rejects when it cannot be. */
  readonly write: (chunk: string | Uint8Array) => Promise<void>;
}

export interface SpinnerOptions {
  readonly color: boolean;
  /** Text after the message, asked for each time it is drawn. */
  readonly suffix: () => string;
}

export interface Spinner {
  readonly update: (text: string) => void;
  readonly stop: () => void;
}

/** Each rejects with `Interrupted` on Ctrl-C, on Ctrl-D and when the terminal closes. */
export interface Prompts {
  readonly text: (question: TextQuestion) => Promise<string>;
  readonly secret: (question: Question) => Promise<string>;
  readonly choose: (question: ChoiceQuestion) => Promise<string>;
  readonly confirm: (question: YesNoQuestion) => Promise<boolean>;
}

export interface Question {
  readonly message: string;
  /** What is wrong with an answer; undefined for a valid one. */
  readonly validate?: (answer: string) => string | undefined;
}

export interface TextQuestion extends Question {
  /** The answer when the user just presses Enter. */
  readonly initial?: string | undefined;
}

export interface ChoiceQuestion extends Question {
  readonly choices: readonly string[];
  /** Shown instead of a choice. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly initial?: string | undefined;
}

export interface YesNoQuestion extends Question {
  /** The answer when the user just presses Enter; no by default. */
  readonly initial?: boolean;
}

/** Times are milliseconds since the epoch. */
export interface Clock {
  readonly now: () => number;
  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface Files {
  /** The current folder. Throws `Unavailable` when it was deleted. */
  readonly cwd: string;
  /** Throws `Unavailable` where there is no home folder and no variable names the folder. */
  readonly folders: { readonly config: string; readonly state: string; readonly temporary: string };
  /** The user that runs gpuctl, by number; undefined where users have none. */
  readonly user: number | undefined;
  readonly read: (path: string) => Promise<Uint8Array>;
  /** The text of a small file; undefined when there is none. Throws when it cannot be read. */
  readonly readText: (path: string) => string | undefined;
  /** Undefined when the path does not exist. */
  readonly stat: (path: string) => PathFacts | undefined;
  readonly isWritable: (path: string) => boolean;
}

export interface PathFacts {
  /** Permission bits, such as 0o600. */
  readonly mode: number;
  readonly owner: number;
  readonly isFolder: boolean;
}

/** Other programs. `run` and `output` throw `Unavailable` when the program cannot be started. */
export interface Programs {
  /** Runs a program with our stdin, stdout and stderr. The exit status, or 128 + the number of the signal that ended it. */
  readonly run: (program: string, args: readonly string[]) => Promise<number>;
  /** The stdout of a shell command. Throws `ProgramFailed` when it fails or times out (milliseconds). */
  readonly output: (commandLine: string, options: { readonly timeout: number }) => Promise<string>;
  /** The path of a program in `PATH`. */
  readonly which: (program: string) => Promise<string | undefined>;
}

export interface Machine {
  readonly nodeVersion: string;
  readonly platform: string;
  readonly home: string;
}
