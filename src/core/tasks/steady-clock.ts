/**
 * A clock for waits. It reads `now`, the system's clock. If that clock is set back, this one stands still until the next
 * reading, so that a wait does not become longer.
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
