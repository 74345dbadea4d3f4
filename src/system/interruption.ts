import process from "node:process";
import { Interrupted } from "../core/errors.ts";

/** The signals of Ctrl-C, a termination and a closed terminal. */
export const interruptionSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ctrl-C and termination signals. */
export interface Interruption {
  /** Aborted by the first Ctrl-C, closed terminal or termination signal; the second ends the process immediately. */
  readonly signal: AbortSignal;
  /**
   * Lets a child process handle interruptions while it uses our terminal. The terminal sends Ctrl-C to both; a signal sent
   * only to gpuctl is passed to `forward`.
   */
  readonly leaveToChild: <Value>(
    forward: (signal: NodeJS.Signals) => void,
    work: Promise<Value>,
  ) => Promise<Value>;
}

export function interruption(): Interruption {
  const controller = new AbortController();
  let forward: ((signal: NodeJS.Signals) => void) | undefined;
  for (const signal of interruptionSignals) {
    process.on(signal, () => {
      if (forward !== undefined) {
        if (signal !== "SIGINT") forward(signal);
        return;
      }
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Interrupted());
    });
  }
  return {
    signal: controller.signal,
    leaveToChild: async (to, work) => {
      forward = to;
      try {
        return await work;
      } finally {
        forward = undefined;
      }
    },
  };
}
