export interface Credential {
  /** Such as `GPUCTL_API_KEY` or `profile "work"`. */
  readonly source: string;
  /** Empty for a key that is too short, and for one that a program is yet to print. */
  readonly lastFour: string;
}

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
