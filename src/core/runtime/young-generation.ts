/** `setFlagsFromString` of `node:v8`, which takes milliseconds to load. */
type SetFlags = (flags: string) => void;

/** V8's default for --semi-space-growth-factor. */
const defaultFactor = 2;
/** Set while there is a limit. */
let setFlags: SetFlags | undefined;

/**
 * Stops the growth of V8's young generation. Short-lived strings fill it whatever its size, so letting it grow only costs
 * memory.
 */
export function limitYoungGeneration(set: SetFlags): void {
  setGrowthFactor(1, set);
  setFlags = set;
}

/** Runs an action that reads or writes compiled code: V8 rejects code that was compiled with other flags. */
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
    // Another runtime than Node.js.
  }
}
