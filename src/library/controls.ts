import { ControlRefused } from "../sandbox/control/refused.ts";
import { createSandbox, type Sandbox } from "../sandbox/index.ts";
import type { Fault } from "./fault.ts";
import { shown } from "./options.ts";
import { type Span, spanOf } from "./span.ts";

/** A sandbox whose time and faults are steered from outside. */
export interface Controlled {
  readonly sandbox: Sandbox;
  /** Restores the initial state and takes back what was advanced. */
  readonly reset: () => void;
  readonly advance: (span: Span) => void;
  readonly fault: (fault: Fault) => void;
}

/** Opens a sandbox and hands out its controls. */
export async function openControlled({
  now,
  ...options
}: Parameters<typeof createSandbox>[0] & { readonly now: () => number }): Promise<Controlled> {
  const sandbox = await createSandbox({ ...options, now: checked(now) });
  return {
    sandbox,
    reset: sandbox.reset,
    advance: (span) => {
      const milliseconds = spanOf(span, "the span");
      named({ duration: "the span" }, () => sandbox.clock.advance(milliseconds));
    },
    fault: (fault) => {
      if (typeof fault !== "object" || fault === null) {
        throw new TypeError(`a fault must be an object with an operation, not ${shown(fault)}`);
      }
      const { delay, retryAfter, ...rest } = fault;
      const given = {
        ...rest,
        ...(delay !== undefined && { delayMs: spanOf(delay, "delay") }),
        ...(retryAfter !== undefined && { retryAfterSeconds: spanOf(retryAfter, "retryAfter") / 1000 }),
      };
      named({ delayMs: "delay", retryAfterSeconds: "retryAfter" }, () => sandbox.faults.add(given));
    },
  };
}

/** A clock that never tells what is no time. Throws `TypeError` at once when it does. */
function checked(now: () => number): () => number {
  const clock = (): number => {
    const time = now();
    if (Number.isNaN(new Date(time).getTime()) || typeof time !== "number") {
      throw new TypeError(`now must give milliseconds since 1970, not ${shown(time)}`);
    }
    return time;
  };
  clock();
  return clock;
}

/** Does what may be refused, and tells the fields of a refusal by the names that the caller knows. */
function named(names: Readonly<Record<string, string>>, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ControlRefused)) throw error;
    const known = new Map(Object.entries(names));
    throw new ControlRefused(
      error.issues.map(({ path: [first = "", ...rest], message }) => ({
        path: [known.get(String(first)) ?? first, ...rest],
        message,
      })),
    );
  }
}
