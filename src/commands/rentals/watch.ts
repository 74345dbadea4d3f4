import { NetworkError, ServiceError, UnreadableAnswer } from "../../client/errors.ts";
import type { Context } from "../../context/context.ts";
import type { Frame, Frames } from "../../output/answer.ts";
import { duration } from "../../output/durations.ts";
import { UsageError } from "../errors.ts";
import { isRecord } from "../shared/records.ts";
import type { Args } from "../spec.ts";
import { Changes } from "./changes.ts";
import { watchInterval } from "./interval.ts";
import { watchedRentals } from "./views.ts";

/** What one look at the rentals gives. */
export interface Seen {
  readonly data: readonly unknown[];
  readonly rows: readonly unknown[];
}

/** Formats that have an end to each look; the others are one document. */
const formats = ["table", "jsonl", "id"];

/** Looks again and again. Throws `UsageError` for a format that a watch cannot have. */
export function watched(look: () => Promise<Seen>, context: Context, flags: Args["flags"]): Frames {
  const { output } = context.settings;
  const interval = watchInterval(flags);
  if (!formats.includes(output)) {
    throw new UsageError(
      `--watch has no end, and --output ${output} is one document: use ${formats.join(" or ")}`,
    );
  }
  return { frames: frames(look, interval, context), view: watchedRentals };
}

/** Goes on after a look that failed on the way; what another look would not mend is thrown, and the first failure. */
async function* frames(
  look: () => Promise<Seen>,
  interval: number,
  { now, sleep }: Pick<Context, "now" | "sleep">,
): AsyncGenerator<Frame> {
  const changes = new Changes();
  let last: Frame | undefined;
  let seenAt = 0;
  const leave = `every ${duration(interval)}; Ctrl-C leaves`;
  for (;;) {
    const at = now();
    try {
      const { data, rows } = await look();
      changes.see(rows);
      seenAt = at;
      last = {
        data,
        rows: rows.map((row) => (isRecord(row) ? { ...row, change: changes.mark(row) } : row)),
        notes: changes.gone,
        status: `Looked at ${clock(at)}, ${leave}`,
        failed: false,
      };
      yield last;
    } catch (error) {
      if (last === undefined || !mayPass(error)) throw error;
      const problem = `The look at ${clock(at)} failed: ${error.message}`;
      yield {
        ...last,
        status: `${problem}. This is as of ${clock(seenAt)}; looking again, ${leave}`,
        failed: true,
      };
    }
    await sleep(interval);
  }
}

/** Whether another look may go better: the network, a limit of requests, or a fault of the service was in the way. */
function mayPass(error: unknown): error is Error {
  if (error instanceof ServiceError) {
    return error.status >= 500 || error.status === 429 || error.status === 408;
  }
  return error instanceof NetworkError || error instanceof UnreadableAnswer;
}

/** The time of day on the user's clock. */
const clock = (milliseconds: number): string => new Date(milliseconds).toTimeString().slice(0, 8);
