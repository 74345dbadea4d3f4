/**
 * A clock for waits, in milliseconds. It reads `now`, the system's clock. If that clock is set back to a time before
 * the last reading, the next reading is the same as the last one, and this clock runs on from there. A wait then
 * becomes longer by at most the time between the two readings.
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
 * Returns a function that says how many milliseconds have passed since this call. Two clocks measure the time, and the
 * longer time counts: `now`, the system's clock, may stop or be set back; `performance.now` is never set back, but may
 * stop while the computer is suspended.
 */
export function stopwatch(now: () => number): () => number {
  const began = performance.now();
  const clock = steadyClock(now);
  const start = clock();
  return () => Math.max(clock() - start, performance.now() - began);
}
