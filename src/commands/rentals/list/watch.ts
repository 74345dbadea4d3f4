import type { Context } from "../../../command-kit/context.ts";
import { isRecord } from "../../../command-kit/responses.ts";
import { assertRepeatable } from "../../../command-kit/results.ts";
import { reasonOf, UsageError } from "../../../core/errors.ts";
import { idOf } from "../../../core/responses/rental.ts";
import type { Frame, Frames } from "../../../core/result.ts";
import { isTemporary } from "../../../core/service-errors.ts";
import { duration } from "../../../core/values/durations.ts";
import { copyTexts } from "../../../core/values/exact-numbers.ts";
import { type ActiveRental, bothTypes, kinds, type Listings, rowOf } from "../listing.ts";
import { watchedRentals } from "../views.ts";
import { stateOf } from "../waiting.ts";

/** A watch runs unattended, so it reads the rentals at most once a second. */
const minInterval = 1_000;

/** Sorts rentals, and drops those beyond a limit. */
type Arrange = (rentals: readonly ActiveRental[]) => readonly ActiveRental[];

/**
 * Reads the rentals every `interval` milliseconds. Throws `UsageError` if the interval is too short or the output
 * format cannot be used.
 */
export function watchRentals(
  read: () => Promise<Listings>,
  arrange: Arrange,
  interval: number,
  context: Pick<Context, "now" | "sleep" | "settings">,
): Frames {
  if (interval < minInterval) {
    throw new UsageError(`--watch must be at least ${duration(minInterval)}, not ${duration(interval)}`);
  }
  assertRepeatable("--watch", ["table", "jsonl", "id"], context.settings);
  return { frames: frames(read, arrange, interval, context), view: watchedRentals };
}

/**
 * Yields an update if at least one of the listings succeeds. If all fail, yields the last update with the reason, and
 * tries again after the interval. If there is no last update, or if no failure is temporary, throws instead.
 */
async function* frames(
  read: () => Promise<Listings>,
  arrange: Arrange,
  interval: number,
  { now, sleep }: Pick<Context, "now" | "sleep">,
): AsyncGenerator<Frame> {
  let last: Frame | undefined;
  let lastAt = 0;
  let known: readonly ActiveRental[] = [];
  let states: ReadonlyMap<string, string> | undefined;
  // A change stays marked until there is another change.
  let changes = changesBetween(new Map(), new Map());
  const note = `every ${duration(interval)}; press Ctrl-C to exit`;
  for (;;) {
    const at = now();
    const { rentals, listed, failures } = await read();
    if (listed.length === 0) {
      const error = [...failures.values()].find(isTemporary);
      if (last === undefined || error === undefined) throw [...failures.values()][0];
      const problem = `The update at ${clock(at)} failed: ${error.message}`;
      const status = `${problem}. Last updated at ${clock(lastAt)}; retrying ${note}`;
      yield { ...last, status, failed: true, stale: true };
    } else {
      // If a listing failed, keeps the last known rentals of that listing.
      known = bothTypes.flatMap((one) =>
        (failures.has(one) ? known : rentals).filter(({ type }) => type === one),
      );
      const newStates = new Map(known.flatMap(({ record }) => idAndState(record)));
      const newChanges = changesBetween(states ?? newStates, newStates);
      if (newChanges.marks.size + newChanges.notes.length > 0) changes = newChanges;
      states = newStates;
      lastAt = at;
      const { marks, notes } = changes;
      const problem = [...failures].map(
        ([type, error]) => `, except for ${kinds[type].plural}: ${reasonOf(error)}. Retrying`,
      );
      last = {
        data: arrange(rentals).map(({ record }) => record),
        rows: arrange(known)
          .map(rowOf)
          .map((row) =>
            isRecord(row) ? copyTexts(row, { ...row, change: marks.get(idOf(row) ?? "") }) : row,
          ),
        notes,
        status: `Updated at ${clock(at)}${problem.join("") || ","} ${note}`,
        failed: failures.size > 0,
        stale: false,
      };
      yield last;
    }
    await sleep(interval);
  }
}

/** The time of day in the user's time zone. */
const clock = (milliseconds: number): string => new Date(milliseconds).toTimeString().slice(0, 8);

/** What changed between two listings. Each listing is a map from the IDs of rentals to their states. */
function changesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) {
  const marks = new Map<string, string>();
  for (const [id, state] of after) {
    const was = before.get(id);
    if (was?.toLowerCase() !== state.toLowerCase())
      marks.set(id, was === undefined ? "new" : `was ${was || "in an unknown state"}`);
  }
  const notes = [...before]
    .filter(([id]) => !after.has(id))
    .map(([id, was]) => `Rental ${id} is no longer listed${was && `; it was ${was}`}.`);
  return { marks, notes };
}

function idAndState(rental: unknown): readonly (readonly [string, string])[] {
  const id = idOf(rental);
  return id === undefined ? [] : [[id, stateOf(rental) ?? ""]];
}
