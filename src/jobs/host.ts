import type { Programs } from "../system/types.ts";
import type { Stream } from "./journal.ts";
import type { SshTarget } from "./ssh.ts";

/** A rental as the service shows it. */
export interface RentalNow {
  /** `pending` also stands for a state that is not known. */
  readonly state: "pending" | "running" | "failed" | "ended";
  /** Undefined until it can be reached. */
  readonly target: SshTarget | undefined;
}

/** What a job needs from outside. */
export interface JobHost {
  readonly programs: Pick<Programs, "stream" | "which">;
  readonly now: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly say: (line: string) => void;
  readonly progress: <Value>(
    text: string,
    work: (update: (text: string) => void) => Promise<Value>,
  ) => Promise<Value>;
  /** Passes on output of the command. */
  readonly output: (stream: Stream, bytes: Uint8Array) => Promise<unknown>;
  readonly endOutput: () => Promise<void>;
  /** Looks up the rental. Throws when the service cannot be asked. */
  readonly lookUp: (rentalId: string, signal: AbortSignal) => Promise<RentalNow>;
  /** Ends the rental and checks that it has ended. Throws `StillBilled`. */
  readonly end: (rentalId: string) => Promise<void>;
  /** Called once the rental has ended, or is left to the user: removes its lease. */
  readonly release: () => Promise<void>;
  /** The user wants to leave at once. */
  readonly interrupted: AbortSignal;
}
