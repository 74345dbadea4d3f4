import type { Inputs } from "./generated/types.ts";
import type { Span } from "./span.ts";

/** What goes wrong with calls to an operation, and with which of them. */
export interface Fault {
  /** The operation by its id, also one that the sandbox assumes; `*` stands for every one. */
  readonly operation: keyof Inputs | "*" | (string & {});
  /** The HTTP status of a failure that is answered in the place of the service. */
  readonly status?: number | undefined;
  /** How long that answer asks to wait before another try, in whole seconds; 1 s for a 429 when left out. */
  readonly retryAfter?: Span | undefined;
  /** How many calls it befalls; 1 when left out. */
  readonly times?: number | undefined;
  /** How many calls pass before the first one that it befalls; none when left out. */
  readonly after?: number | undefined;
  /** How long the answer is held back. */
  readonly delay?: Span | undefined;
  /** The connection breaks. */
  readonly reset?: boolean | undefined;
  /** The answer ends after so many server-sent events, or KiB when it is no stream. */
  readonly cutStreamAfter?: number | undefined;
  /** The answer is not JSON. */
  readonly garbage?: boolean | undefined;
  /** The operation takes effect, although its answer says otherwise. */
  readonly applied?: boolean | undefined;
}
