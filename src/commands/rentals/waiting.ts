import type { Context } from "../../context/context.ts";
import { NotFound, RentalFailed, WaitedTooLong } from "../errors.ts";
import { statesOf, stateText } from "./states.ts";

export interface Wait {
  readonly rentalId: string;
  /** What it is waited for, as in "is running". */
  readonly goal: string;
  readonly reached: (rental: unknown, states: readonly string[]) => boolean;
  /** Milliseconds between two looks. */
  readonly interval: number;
  /** Milliseconds at most. */
  readonly timeout: number;
}

/** What a rental has that is in a state. */
export const inState = (state: string): Pick<Wait, "goal" | "reached"> => ({
  goal: `is ${state}`,
  reached: (_rental, states) => states.includes(state),
});

/**
 * Looks a rental up again and again until the goal is reached, for the last time when time is up. Throws
 * `WaitedTooLong`, `NotFound` when it is gone, `RentalFailed` when the service could not bring it up.
 */
export function waitFor(
  wait: Wait,
  context: Pick<Context, "call" | "now" | "sleep" | "progress">,
): Promise<unknown> {
  const { rentalId, goal, reached, interval, timeout } = wait;
  const end = context.now() + timeout;
  return context.progress(`Waiting until rental ${rentalId} ${goal}`, async (update) => {
    for (;;) {
      const rental = await context.call("getRental", { rentalId });
      if (rental === null) throw new NotFound(`no rental ${rentalId} belongs to you`);
      const states = statesOf(rental);
      if (reached(rental, states)) return rental;
      willNever(wait, states);
      const left = end - context.now();
      if (left <= 0) throw tooLong(wait, states);
      update(`Waiting until rental ${rentalId} ${goal}; it is ${stateText(states)}`);
      await context.sleep(Math.min(interval, left));
    }
  });
}

/** Throws when no time will bring the rental there. */
function willNever({ rentalId, reached }: Wait, states: readonly string[]): void {
  if (reached({}, ["terminated"])) return;
  if (states.includes("terminated")) throw new NotFound(`rental ${rentalId} has ended`);
  if (states.includes("failed")) throw new RentalFailed(`rental ${rentalId} has failed; it may still bill`);
}

const tooLong = ({ rentalId, goal }: Wait, states: readonly string[]) =>
  new WaitedTooLong(
    `time is up before rental ${rentalId} ${goal}: it is ${stateText(states)}`,
    states.includes("terminated") ? "It has ended." : "The rental still bills: it was not touched.",
  );
