import process from "node:process";
import { Interrupted } from "./errors.ts";

/** Requests to end the process, and who heeds them. */
export interface Interruption {
  /** Aborted by the first Ctrl-C, closed terminal or request to end; the second one ends the process at once. */
  readonly signal: AbortSignal;
  /**
   * Leaves the requests to another program while it has our terminal. Ctrl-C reaches it without our help, as the
   * terminal gives it to both; what was sent to us alone is passed on by `pass`.
   */
  readonly leaveTo: <Value>(pass: (signal: NodeJS.Signals) => void, work: Promise<Value>) => Promise<Value>;
}

export function interruption(): Interruption {
  const controller = new AbortController();
  let pass: ((signal: NodeJS.Signals) => void) | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (pass !== undefined) {
        if (signal !== "SIGINT") pass(signal);
        return;
      }
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Interrupted());
    });
  }
  return {
    signal: controller.signal,
    leaveTo: async (to, work) => {
      pass = to;
      try {
        return await work;
      } finally {
        pass = undefined;
      }
    },
  };
}
