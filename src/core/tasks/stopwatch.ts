/**
 * Returns a function that says how many milliseconds have passed since this call. `now` is the clock of the computer,
 * which may be set back; that counts as no time. The other clock is never set back, but may stop while the computer is
 * suspended. The longer of both times counts.
 */
export function stopwatch(now: () => number): () => number {
  const began = performance.now();
  let last = now();
  let passed = 0;
  return () => {
    const next = now();
    passed += Math.max(0, next - last);
    last = next;
    return Math.max(passed, performance.now() - began);
  };
}
