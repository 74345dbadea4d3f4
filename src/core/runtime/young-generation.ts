/**
 * The type of `setFlagsFromString` from `node:v8`. This file does not import `node:v8`, because that takes
 * milliseconds.
 */
type SetFlags = (flags: string) => void;

/** V8's default for --semi-space-growth-factor. */
const defaultFactor = 2;
/** Set by `limitYoungGeneration`. Until then, V8's default applies. */
let setFlags: SetFlags | undefined;

/**
 * Stops the growth of V8's young generation. Short-lived strings fill it whatever its size is, so growth only costs
 * memory.
 */
export function limitYoungGeneration(set: SetFlags): void {
  setGrowthFactor(1, set);
  setFlags = set;
}

/**
 * Runs an action with V8's default flags. Use it to read or write compiled code, because V8 rejects code that was
 * compiled with other flags.
 */
export function withDefaultFlags<Result>(action: () => Result): Result {
  if (setFlags === undefined) return action();
  setGrowthFactor(defaultFactor, setFlags);
  try {
    return action();
  } finally {
    setGrowthFactor(1, setFlags);
  }
}

function setGrowthFactor(factor: number, set: SetFlags): void {
  try {
    set(`--semi-space-growth-factor=${factor}`);
  } catch {
    // The runtime is not Node.js.
  }
}
