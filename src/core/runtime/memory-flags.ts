/**
 * The type of `setFlagsFromString` from `node:v8`. This file does not import `node:v8`, because that takes
 * milliseconds.
 */
type SetFlags = (flags: string) => void;

const defaults = [
  "--semi-space-growth-factor=2",
  "--concurrent-array-buffer-sweeping",
  "--parallel-scavenge",
];
/**
 * With these flags, V8's young generation (its memory for new objects) does not grow: short-lived strings fill it
 * whatever its size is, so growth only costs memory. Buffers are freed at once, and not later by another thread.
 * Garbage is collected by one thread: almost nothing survives, so starting more threads would take longer than the
 * collection.
 */
const frugal = [
  "--semi-space-growth-factor=1",
  "--no-concurrent-array-buffer-sweeping",
  "--no-parallel-scavenge",
];

/** Set by `saveMemory`. Until then, V8's defaults apply. */
let setFlags: SetFlags | undefined;

/** Makes V8 keep less garbage while results are received. */
export function saveMemory(set: SetFlags): void {
  apply(frugal, set);
  setFlags = set;
}

/**
 * Runs an action with V8's default flags. Use it to read or write compiled code, because V8 rejects code that was
 * compiled with other flags.
 */
export function withDefaultFlags<Result>(action: () => Result): Result {
  if (setFlags === undefined) return action();
  apply(defaults, setFlags);
  try {
    return action();
  } finally {
    apply(frugal, setFlags);
  }
}

function apply(flags: readonly string[], set: SetFlags): void {
  try {
    for (const flag of flags) set(flag);
  } catch {
    // Runtimes other than Node.js may not have these flags.
  }
}
