import type { Context } from "../../command-kit/context.ts";
import { idOf, isRecord } from "../../command-kit/responses.ts";
import { duration } from "../../core/durations.ts";
import { UsageError } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import type { Frame, Frames } from "../../core/result.ts";
import { InvalidResponse, NetworkError, ServiceError } from "../../core/service-errors.ts";
import { watchedRentals } from "./views.ts";

/** The rentals at one moment. */
export interface Snapshot {
  readonly data: readonly unknown[];
  readonly rows: readonly unknown[];
}

/** Formats in which one snapshot can follow another; the others are one document. */
const formats = ["table", "jsonl", "id"];

/** A watch runs unattended, so it sends at most one request a second. */
const minInterval = 1_000;

/** Reads the rentals every `interval` milliseconds. Throws `UsageError` for an interval or a format that does not fit. */
export function watchRentals(
  read: () => Promise<Snapshot>,
  interval: number,
  context: Pick<Context, "now" | "sleep" | "settings">,
): Frames {
  const { output } = context.settings;
  if (interval < minInterval) {
    throw new UsageError(`--watch must be at least ${duration(minInterval)}, not ${duration(interval)}`);
  }
  if (!formats.includes(output)) {
    throw new UsageError(`--watch cannot be used with --output ${output}: use ${formats.join(" or ")}`);
  }
  return { frames: frames(read, interval, context), view: watchedRentals };
}

/** Continues after a failure that may pass; throws any other, and a failure of the first request. */
async function* frames(
  read: () => Promise<Snapshot>,
  interval: number,
  { now, sleep }: Pick<Context, "now" | "sleep">,
): AsyncGenerator<Frame> {
  const changes = new Changes();
  let last: Frame | undefined;
  let lastAt = 0;
  const note = `every ${duration(interval)}; press Ctrl-C to exit`;
  for (;;) {
    const at = now();
    try {
      const { data, rows } = await read();
      changes.add(rows);
      lastAt = at;
      last = {
        data,
        rows: rows.map((row) => (isRecord(row) ? { ...row, change: changes.of(row) } : row)),
        notes: changes.gone,
        status: `Updated at ${clock(at)}, ${note}`,
        failed: false,
      };
      yield last;
    } catch (error) {
      if (last === undefined || !mayPass(error)) throw error;
      const problem = `The update at ${clock(at)} failed: ${error.message}`;
      yield { ...last, status: `${problem}. Shown as of ${clock(lastAt)}; retrying ${note}`, failed: true };
    }
    await sleep(interval);
  }
}

/** Whether a later request may succeed: the network, a rate limit or a fault of the service was the cause. */
function mayPass(error: unknown): error is Error {
  if (error instanceof ServiceError) {
    return error.status >= 500 || error.status === 429 || error.status === 408;
  }
  return error instanceof NetworkError || error instanceof InvalidResponse;
}

/** The time of day in the user's time zone. */
const clock = (milliseconds: number): string => new Date(milliseconds).toTimeString().slice(0, 8);

/** What changed between snapshots. A change stays marked until the next one. */
class Changes {
  #states: ReadonlyMap<string, string> | undefined;
  #marks: ReadonlyMap<string, string> = new Map();
  #gone: readonly string[] = [];

  add(rentals: readonly unknown[]): void {
    const before = this.#states;
    const states = new Map(rentals.flatMap(idAndState));
    this.#states = states;
    if (before === undefined) return;
    const marks = new Map(
      [...states].flatMap(([id, state]): [string, string][] => {
        const was = before.get(id);
        if (was === state) return [];
        return [[id, was === undefined ? "new" : `was ${was || "in an unknown state"}`]];
      }),
    );
    const gone = [...before].filter(([id]) => !states.has(id));
    if (marks.size === 0 && gone.length === 0) return;
    this.#marks = marks;
    this.#gone = gone.map(([id, was]) => `Rental ${id} is no longer listed${was && `; it was ${was}`}.`);
  }

  /** What changed of a rental, in words; undefined when nothing did. */
  of(rental: unknown): string | undefined {
    return this.#marks.get(idOf(rental) ?? "");
  }

  /** A line for each rental that is no longer listed. */
  get gone(): readonly string[] {
    return this.#gone;
  }
}

function idAndState(rental: unknown): readonly (readonly [string, string])[] {
  const id = idOf(rental);
  const state = firstAt(rental, ["state", "status"]) ?? "";
  return id === undefined ? [] : [[id, typeof state === "string" ? state : JSON.stringify(state)]];
}
