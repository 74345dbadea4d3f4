import type { Probe } from "../client/probe.ts";
import type { Environment } from "../core/urls.ts";
import type { Machine, PathFacts, Programs } from "../system/types.ts";

/** What is the same in every sandbox, whatever it holds. */
export interface SandboxFacts {
  readonly keys: { readonly full: string; readonly readOnly: string };
  /** What the service leaves open and the sandbox decided. */
  readonly limits: readonly { readonly id: string; readonly text: string }[];
}

/** The service on this machine. */
export interface SandboxControl extends Pick<SandboxFacts, "keys"> {
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
  /** `only` names an environment, whose operations are served; without it all of them. */
  readonly serve: (options: {
    readonly host: string;
    readonly port: number;
    readonly only?: string | undefined;
  }) => Promise<{
    readonly url: string;
    readonly close: () => Promise<void>;
  }>;
}

/** This machine and how gpuctl is set up on it, for checks. Nothing here changes anything. */
export interface Installation extends Machine, Pick<Programs, "which"> {
  /** The versions of Node.js that gpuctl runs on, such as `>=20.19`. */
  readonly neededNode: string;
  /** The user that runs gpuctl, by number; undefined where users have none. */
  readonly userId: number | undefined;
  readonly env: Environment;
  /** Undefined when the path does not exist or cannot be looked at. */
  readonly stat: (path: string) => Promise<(PathFacts & { readonly writable: boolean }) | undefined>;
  /** Undefined when the file cannot be read. */
  readonly readText: (path: string) => Promise<string | undefined>;
  /** The proxy that the environment names for a URL. */
  readonly proxyFor: (url: string) => Promise<string | undefined>;
  /** What a host shows without a key. Throws when it cannot be reached within `timeout` milliseconds. */
  readonly probe: (url: string, timeout: number) => Promise<Probe>;
  readonly sandboxHealth: () => Promise<SandboxHealth>;
  readonly configPath: string;
  /** Why the configuration cannot be used. */
  readonly configProblem: () => string | undefined;
  readonly stateFolder: string;
  /** Which streams are a terminal, its width, and whether text has colors. */
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
  readonly problem?: string;
}
