import type { Knock } from "../client/knock.ts";

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
