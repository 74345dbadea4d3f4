import type { DescriptionCache } from "../client/description-cache.ts";
import type { Transport } from "../client/transport.ts";
import type { Machine, Programs, SandboxControl, SandboxFacts, Shell } from "./context.ts";
import type { Prompts } from "./questions.ts";

export type { Prompts, Question } from "./questions.ts";

/** The outside world, as the core sees it. `node.ts` makes the real one; tests make their own. */
export interface World {
  readonly version: string;
  readonly env: Environment;
  readonly cwd: string;
  readonly folders: { readonly config: string; readonly state: string; readonly temporary: string };
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly now: () => number;
  readonly random: () => number;
  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the user presses Ctrl-C or the process is told to end. */
  readonly interrupted: AbortSignal;
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** The text of a small file, or nothing when there is none. */
  readonly readSettings: (path: string) => string | undefined;
  /** Who owns a file or a folder and what others may do with it; nothing when there is none. */
  readonly permissions: (path: string) => Permissions | undefined;
  /** The number of the user that runs the tool; nothing where users have none. */
  readonly user: number | undefined;
  readonly descriptions: DescriptionCache;
  readonly prompts: () => Promise<Prompts>;
  readonly spinner: (text: string, look: SpinnerLook) => Promise<Spinner>;
  /** Hides the cursor of the terminal on stdout until the function that comes back is called, or the process ends. */
  readonly hideCursor: () => Promise<() => void>;
  readonly connect: () => Promise<Transport>;
  readonly openSandbox: () => Promise<Sandbox>;
  readonly sandboxFacts: () => Promise<SandboxFacts>;
  readonly programs: Programs;
  readonly machine: Machine;
  readonly completionScript: (shell: Shell) => Promise<string>;
  /** What there is to say on a topic that is no command; nothing when there is no such topic. */
  readonly topic: (name: string) => Promise<Topic | undefined>;
}

/** A text as data, for a terminal and for a manual page. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly sections: readonly TopicSection[];
}

export interface TopicSection {
  readonly heading: string;
  readonly parts: readonly TopicPart[];
}

/** A paragraph, terms and what they mean, or command lines as they are typed. */
export type TopicPart =
  | string
  | { readonly terms: readonly (readonly [term: string, meaning: string])[] }
  | { readonly code: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Permissions {
  readonly owner: number;
  readonly mode: number;
}

export interface Source {
  readonly isTTY: boolean;
  readonly read: () => Promise<Uint8Array>;
}

export interface Sink {
  readonly isTTY: boolean;
  /** Width of the terminal; 0 when it is not known. */
  readonly columns: number;
  /** Height of the terminal; 0 when it is not known. */
  readonly rows: number;
  /** Settles when the text or the bytes are on their way; rejects when they cannot be written. */
  readonly write: (chunk: string | Uint8Array) => Promise<void>;
}

export interface SpinnerLook {
  readonly color: boolean;
  /** What stands beside the text, asked for each time it is drawn. */
  readonly beside: () => string;
}

export interface Spinner {
  readonly update: (text: string) => void;
  readonly stop: () => void;
}

/** The service on this machine: a `fetch` of its own, and its controls. */
export interface Sandbox extends SandboxControl {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Whether a secret is one of its keys, be it revoked. */
  readonly hasKey: (secret: string) => boolean;
  /** How the value of every key that it gives out begins. */
  readonly keyPrefix: string;
  readonly close: () => void;
}
