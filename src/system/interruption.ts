import process from "node:process";
import { Interrupted } from "../core/errors.ts";

/** Requests to end the process. */
export interface Interruption {
  /** Aborted by the first Ctrl-C, closed terminal or termination signal; the second one ends the process at once. */
  readonly signal: AbortSignal;
  /**
   * Lets another program handle the requests while it has our terminal. It gets Ctrl-C from the terminal, as we do; a
   * signal sent to us alone is passed on by `pass`.
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
