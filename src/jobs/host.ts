import type { Programs } from "../system/types.ts";
import type { Stream } from "./journal.ts";
import type { SshTarget } from "./ssh.ts";

/** A rental as the service shows it. */
export interface RentalNow {
  /**
   * `pending`: the rental is starting, is not found yet, or has an unknown state. `missing`: see the function
   * `missing`. `other`: the ID now belongs to a rental that this job did not create.
   */
  readonly state: "pending" | "running" | "failed" | "ended" | "missing" | "other";
  /** Undefined until the rental has an address. */
  readonly target: SshTarget | undefined;
}

/**
 * The message for a rental that the service does not find. The service also finds rentals that have ended, so a missing
 * rental may still be active: it may be new, or belong to another account.
 */
export const missing = (rentalId: string): string =>
  `the service finds no rental ${rentalId} in this account`;

/** What a job needs from its caller. */
export interface JobHost {
  readonly programs: Pick<Programs, "stream" | "which">;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly say: (line: string) => void;
  readonly progress: <Value>(
    text: string,
    work: (update: (text: string) => void) => Promise<Value>,
  ) => Promise<Value>;
  /** The name of this process. */
  readonly self: string;
  /** Whether another process cancels the job, or has canceled it. */
  readonly isCanceled: () => boolean;
  /** Passes on output of the command. Resolves with false if the output was not written. */
  readonly output: (stream: Stream, bytes: Uint8Array) => Promise<unknown>;
  readonly endOutput: () => Promise<void>;
  /** The address of the rental from the last lookup that succeeded. It is used while lookups fail. */
  readonly lastKnown: { target?: SshTarget | undefined };
  /** Looks up the rental. Throws if the request fails. */
  readonly lookUp: (rentalId: string, signal: AbortSignal) => Promise<RentalNow>;
  /**
   * Ends the rental and checks that it has ended. If it may still be billed, throws `StillBilled`, or `Interrupted`
   * after Ctrl-C.
   */
  readonly end: (rentalId: string) => Promise<void>;
  /** Removes the lease of the rental. Called after the rental has ended, or if no rental was requested. */
  readonly release: () => Promise<void>;
  /** The command line that starts a guard for the lease file of this rental. */
  readonly guardLine: string;
  /** Aborted when the user wants gpuctl to exit at once, even if the rental is still billed. */
  readonly interrupted: AbortSignal;
}
