/**
 * A clock for waits, in milliseconds. It reads `now`, the system's clock. If that clock is set back, this one stands
 * still until the next reading, so that a wait does not become longer.
 */
export function steadyClock(now: () => number): () => number {
  let last = now();
  let offset = 0;
  return () => {
    const moment = now() + offset;
    if (moment < last) offset += last - moment;
    else last = moment;
    return last;
  };
}

/**
 * Returns a function that says how many milliseconds have passed since this call, for limits that must also hold if the
 * system's clock stops. `now` is that clock. The other clock is never set back, but may stop while the computer is
 * suspended. The longer of both times counts.
 */
export function stopwatch(now: () => number): () => number {
  const began = performance.now();
  const clock = steadyClock(now);
  const start = clock();
  return () => Math.max(clock() - start, performance.now() - began);
}
