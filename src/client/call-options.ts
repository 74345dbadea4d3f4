import type { AttemptOptions } from "./attempt.ts";
import type { Description } from "./document.ts";
import type { Target } from "./request.ts";
import type { RetryOptions } from "./retry.ts";

export interface CallOptions extends AttemptOptions, RetryOptions {
  readonly target: Target;
  /** Tells whether a deprecated operation has a replacement; without it none has. */
  readonly negotiator?: Negotiator;
  /** Told what an answer lacks. */
  readonly warn?: (line: string) => void;
}

/** The description for a request that goes on without it. Neither throws but when the user interrupts. */
export interface Negotiator {
  /** One short try, at most one in its life, and none for a while after one that failed. */
  readonly soon: () => Promise<Description | undefined>;
  /** The same once a path that it lists turned out to be gone: asked anew, unless that was done just now. */
  readonly again: () => Promise<Description | undefined>;
}
