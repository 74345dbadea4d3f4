import type { Observer } from "../client/exchange.ts";

/** Milliseconds that two clocks which agree may seem to differ by: answers are dated to the second, and travel. */
const little = 2000;
const restOfSecond = 999;

interface ServiceClock {
  /** Looks at the date of an answer. */
  readonly watch: Observer;
  /** Milliseconds since 1970 by the clock of the service, as its last answer told it; by this machine's before that. */
  readonly now: () => number;
}

/**
 * The clock by which the service's time stamps are to be read: it may be another one than this machine's, as the
 * sandbox's is when it was moved. A date stands for the end of its second, so that nothing stamped lies ahead of it.
 */
export function serviceClock(machine: () => number): ServiceClock {
  let ahead = 0;
  return {
    watch: ({ header }) => {
      const theirs = Date.parse(header("date") ?? "");
      if (Number.isNaN(theirs)) return;
      const difference = theirs - machine();
      ahead = Math.abs(difference) <= little ? 0 : difference + restOfSecond;
    },
    now: () => machine() + ahead,
  };
}
