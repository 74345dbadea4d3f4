import { assertRepeatable } from "../../../command-kit/results.ts";
import { reasonOf } from "../../../core/errors.ts";
import type { Text } from "../../../core/result.ts";
import { isTemporary } from "../../../core/service-errors.ts";
import { duration } from "../../../core/values/durations.ts";
import { escapedJson } from "../../../output/json.ts";
import { eventLine, eventRecord, type GuardEvent, lastingKey, notify } from "./events.ts";
import { type Guard, guardRound } from "./round.ts";

/** Runs a round every `interval` milliseconds until the user interrupts. Prints events as they happen, one per line. */
export function guardEvery(interval: number, guard: Guard): Text {
  const { output } = guard.settings;
  assertRepeatable("--every", ["table", "jsonl"], guard.settings);
  guard.say(`Checking the leases every ${duration(interval)}; press Ctrl-C to exit.`);
  const line = output === "jsonl" ? (event: GuardEvent) => escapedJson(eventRecord(event)) : eventLine;
  return { text: lines(interval, line, guard) };
}

/**
 * Until one round has succeeded, throws any failure that is not temporary. After any other failure, tries again in the
 * next round. Of several failures in a row, reports only the first.
 */
async function* lines(
  interval: number,
  line: (event: GuardEvent) => string,
  guard: Guard,
): AsyncGenerator<string> {
  let hasLooked = false;
  let isWorking = true;
  let shown: ReadonlySet<string> = new Set();
  for (;;) {
    try {
      const events = await guardRound(guard);
      hasLooked = true;
      isWorking = true;
      const keys = events.flatMap((event) => lastingKey(event) ?? []);
      for (const event of events) if (!shown.has(lastingKey(event) ?? "")) yield `${line(event)}\n`;
      shown = new Set(keys);
    } catch (error) {
      if (guard.interrupted.aborted || (!hasLooked && !isTemporary(error))) throw error;
      if (isWorking) {
        for (const event of await roundFailed(error, guard)) yield `${line(event)}\n`;
      }
      isWorking = false;
    }
    await guard.sleep(interval);
  }
}

/** Notifies the user that a round failed, and returns the events. */
async function roundFailed(error: unknown, guard: Guard): Promise<readonly GuardEvent[]> {
  const time = new Date(guard.now()).toISOString();
  const message = guard.withServiceFlags(`${reasonOf(error)}. No rental is ended until this works again`);
  const event: GuardEvent = { event: "round-failed", message, time, error };
  const problem = guard.notify === undefined ? undefined : await notify(guard.notify, event, guard);
  return [event, ...(problem ? [{ event: "failed", message: problem.message, time } as const] : [])];
}
