import { createSandbox, type Sandbox } from "../sandbox/index.ts";
import type { Fault } from "./fault.ts";
import { spanOf } from "./span.ts";

/** A sandbox whose time and faults are steered from outside. */
export interface Controlled {
  readonly sandbox: Sandbox;
  /** Restores the initial state and takes back what was advanced. */
  readonly reset: () => void;
  readonly advance: (milliseconds: number) => void;
  readonly fault: (fault: Fault) => void;
}

/** Opens a sandbox and hands out its controls. */
export async function openControlled(options: Parameters<typeof createSandbox>[0]): Promise<Controlled> {
  const sandbox = await createSandbox(options);
  return {
    sandbox,
    reset: sandbox.reset,
    advance: (milliseconds) => {
      sandbox.clock.advance(Math.round(milliseconds));
    },
    fault: ({ delay, ...fault }) => {
      sandbox.faults.add({ ...fault, ...(delay !== undefined && { delayMs: spanOf(delay) }) });
    },
  };
}
