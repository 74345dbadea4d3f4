import { createContext, Script } from "node:vm";
import { isRecord } from "../json.ts";

/** Synchronous work was stopped because it took too long. */
export class TimeLimitExceeded extends Error {
  override readonly name = "TimeLimitExceeded";
}

/**
 * Runs synchronous work for at most this many milliseconds. Returns what the work returns, and throws what it throws.
 *
 * @throws {TimeLimitExceeded}
 */
export function withinTime<Value>(milliseconds: number, work: () => Value): Value {
  const done: { value: Value }[] = [];
  const context = createContext({ work: () => done.push({ value: work() }) });
  try {
    // Node.js can stop only a `vm.Script`, along with the functions that the script calls.
    script.runInContext(context, { timeout: Math.ceil(milliseconds) });
  } catch (error) {
    // The error may come from another realm, so `instanceof` does not work.
    if (isRecord(error) && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw new TimeLimitExceeded();
    throw error;
  }
  const [result] = done;
  if (result === undefined) throw new TimeLimitExceeded();
  return result.value;
}

const script = new Script("work()");
