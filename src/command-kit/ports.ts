import type { Probe } from "../client/probe.ts";
import type { Environment } from "../core/urls.ts";
import type { Machine, PathFacts, Programs } from "../system/types.ts";

/** Facts that are the same for every sandbox. */
export interface SandboxFacts {
  readonly keys: { readonly full: string; readonly readOnly: string };
  /** The sandbox's choices where the API documentation leaves behavior open. */
  readonly limits: readonly { readonly id: string; readonly text: string }[];
}

/** Controls of the sandbox. */
export interface SandboxControl extends Pick<SandboxFacts, "keys"> {
  readonly status: () => unknown;
  /** Each returns the new state of the clock; times are in milliseconds. Throws `ControlRefused`. */
  readonly clock: {
    readonly show: () => unknown;
    readonly freeze: () => unknown;
    readonly resume: () => unknown;
    readonly advance: (milliseconds: number) => unknown;
    readonly set: (moment: number) => unknown;
  };
  /** Throws `ControlRefused` that names each invalid value. */
  readonly faults: {
    readonly add: (fault: object) => unknown;
    readonly list: () => readonly unknown[];
    /** Removes one or all, and returns how many were removed. */
    readonly clear: (id?: number) => number;
  };
  /** The last requests, oldest first. */
  readonly requests: (limit: number) => readonly unknown[];
  readonly seed: (text: string) => Promise<void>;
  readonly snapshot: () => unknown;
  readonly restore: (text: string) => void;
  readonly reset: () => void;
  /** `only` serves the operations of one environment; by default all are served. */
  readonly serve: (options: {
    readonly host: string;
    readonly port: number;
    readonly only?: string | undefined;
  }) => Promise<{
    readonly url: string;
    readonly close: () => Promise<void>;
  }>;
}

/** This machine and its gpuctl installation, read-only, for checks. */
export interface Installation extends Machine, Pick<Programs, "which"> {
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
  /** Why the configuration cannot be used. */
  readonly configProblem: () => string | undefined;
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
  readonly problem?: string;
}
