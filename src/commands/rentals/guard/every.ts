import { assertRepeatable } from "../../../command-kit/results.ts";
import { CannotPrint, reasonOf } from "../../../core/errors.ts";
import type { Text } from "../../../core/result.ts";
import { isTemporary } from "../../../core/service-errors.ts";
import { duration } from "../../../core/values/durations.ts";
import { escapedJson } from "../../../output/json.ts";
import { eventLine, eventRecord, type GuardEvent, lastingKey, notify } from "./events.ts";
import { type Guard, guardRound } from "./round.ts";

/**
 * Checks the leases in a round every `interval` milliseconds until the user interrupts. Prints events as they happen,
 * one per line.
 */
export function guardEvery(interval: number, guard: Guard): Text {
  const { output } = guard.settings;
  assertRepeatable("--every", ["table", "jsonl"], guard.settings);
  guard.say(`Checking the leases every ${duration(interval)}; press Ctrl-C to exit.`);
  const line = output === "jsonl" ? (event: GuardEvent) => escapedJson(eventRecord(event)) : eventLine;
  const closed = new AbortController();
  return {
    text: lines(interval, line, closed.signal, guard),
    needsReader: true,
    after: (error) => {
      closed.abort();
      if (!(error instanceof CannotPrint)) return;
      guard.setFailureContext("The guard has ended: no rental is ended until it runs again.");
    },
  };
}

/** How many lines may wait for a reader that does not read them. */
const maxWaiting = 1_000;

/**
 * Yields the lines of rounds. The rounds do not wait until the lines are read: a reader that is slow or stops reading,
 * such as a pager, must not keep the guard from ending rentals. If too many lines are unread, drops the oldest and says
 * so. The rounds end when `closed` is aborted.
 */
async function* lines(
  interval: number,
  line: (event: GuardEvent) => string,
  closed: AbortSignal,
  guard: Guard,
): AsyncGenerator<string> {
  const waiting: string[] = [];
  let dropped = 0;
  let wake = () => {};
  const print = (event: GuardEvent) => {
    waiting.push(`${line(event)}\n`);
    if (waiting.length > maxWaiting) {
      waiting.shift();
      dropped += 1;
    }
    wake();
  };
  let end: { readonly error: unknown } | undefined;
  rounds(interval, print, closed, guard).catch((error: unknown) => {
    end = { error };
    wake();
  });
  for (;;) {
    if (dropped > 0) {
      guard.say(`Warning: ${dropped} older events were not printed, because the output was not read.`);
      dropped = 0;
    }
    const next = waiting.shift();
    if (next !== undefined) yield next;
    else if (end !== undefined) throw end.error;
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}

/**
 * Runs rounds, and passes on their events, until the user interrupts or `closed` is aborted. If an event lasts for
 * several rounds, passes it on only once. Until one round has succeeded, throws any failure that is not temporary.
 * After any other failure, tries again in the next round. Of several failures in a row, reports only the first.
 */
async function rounds(
  interval: number,
  print: (event: GuardEvent) => void,
  closed: AbortSignal,
  guard: Guard,
): Promise<never> {
  let hasLooked = false;
  let isWorking = true;
  let shown: ReadonlySet<string> = new Set();
  for (;;) {
    try {
      const events = await guardRound(guard);
      hasLooked = true;
      isWorking = true;
      const keys = events.flatMap((event) => lastingKey(event) ?? []);
      for (const event of events) if (!shown.has(lastingKey(event) ?? "")) print(event);
      shown = new Set(keys);
    } catch (error) {
      if (guard.interrupted.aborted || (!hasLooked && !isTemporary(error))) throw error;
      if (isWorking) {
        for (const event of await roundFailed(error, guard)) print(event);
      }
      isWorking = false;
    }
    await guard.sleep(interval, closed);
  }
}

/** Runs the command of `--notify`, if there is one, for a round that failed. Returns the events to print. */
async function roundFailed(error: unknown, guard: Guard): Promise<readonly GuardEvent[]> {
  const time = new Date(guard.now()).toISOString();
  const message = guard.withServiceFlags(`${reasonOf(error)}. No rental is ended until this works again`);
  const event: GuardEvent = { event: "round-failed", message, time, error };
  const problem = guard.notify === undefined ? undefined : await notify(guard.notify, event, guard);
  return [event, ...(problem ? [{ event: "failed", message: problem.message, time } as const] : [])];
}
