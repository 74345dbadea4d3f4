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
