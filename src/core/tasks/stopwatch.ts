/**
 * Returns a function that says how many milliseconds have passed since this call. It measures with two clocks, and
 * returns the longer time. `now` is the clock of the computer; setting it back counts as no time. `performance.now` is
 * never set back, but may stop while the computer is suspended.
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
