import { reasonOf, UsageError } from "../../../core/errors.ts";
import type { Text } from "../../../core/result.ts";
import { isTemporary } from "../../../core/service-errors.ts";
import { duration } from "../../../core/values/durations.ts";
import { escapedJson } from "../../../output/json.ts";
import { eventLine, eventRecord, type GuardEvent, lastingKey, notify } from "./events.ts";
import { type Guard, guardRound } from "./round.ts";

const formats = ["table", "jsonl"];

/** Looks every `interval` milliseconds until the user interrupts, and prints events as they happen: one a line. */
export function guardEvery(interval: number, guard: Guard): Text {
  const { output } = guard.settings;
  if (!formats.includes(output)) {
    throw new UsageError(`--every cannot be used with --output ${output}: use ${formats.join(" or ")}`);
  }
  guard.say(`Looking every ${duration(interval)}; press Ctrl-C to exit.`);
  const line = output === "jsonl" ? (event: GuardEvent) => escapedJson(eventRecord(event)) : eventLine;
  return { text: lines(interval, line, guard) };
}

/** Throws a failure of the first round unless it is temporary; all others are reported, and the next round tries again. */
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

/** The event for a round that failed. Only the first of several is reported. */
async function roundFailed(error: unknown, guard: Guard): Promise<readonly GuardEvent[]> {
  const time = new Date(guard.now()).toISOString();
  const message = `${reasonOf(error)}. No lease ends a rental until this works again`;
  const event: GuardEvent = { event: "round-failed", message, time, error };
  const problem = guard.notify === undefined ? undefined : await notify(guard.notify, event, guard);
  return [event, ...(problem ? [{ event: "failed", message: problem.message, time } as const] : [])];
}
