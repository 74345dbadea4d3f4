/**
 * A clock for waits. It reads `now`, the system's clock, but does not go back if that is set back: otherwise, a wait
 * would take as much longer.
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
