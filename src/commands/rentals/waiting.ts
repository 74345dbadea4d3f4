import type { Context } from "../../command-kit/context.ts";
import { flag } from "../../command-kit/flag.ts";
import { assertIsRental, isRecord } from "../../command-kit/responses.ts";
import { NotFound, RentalFailed, WaitedTooLong } from "../../core/errors.ts";
import { firstAt } from "../../core/json.ts";
import { plainText } from "../../output/text.ts";
import { statePaths } from "./views.ts";

export const waitTimeout = flag.duration("Maximum time to wait", { default: "15m" });

/** The default for the maximum time between two requests for the state of rentals, in milliseconds. */
export const defaultInterval = 5_000;

/** The time after the first request, in milliseconds; doubled for each further one. */
const firstPause = 1_000;

interface Wait {
  readonly rentalId: string;
  /** What the wait is for, as in "is running". */
  readonly goal: string;
  readonly reached: (rental: unknown, states: readonly string[]) => boolean;
  /** Maximum time between two requests, in milliseconds. The first ones follow each other sooner. */
  readonly interval?: number;
  /** Maximum time to wait, in milliseconds. */
  readonly timeout: number;
}

/** The goal of a wait for a state. */
export const inState = (state: string): Pick<Wait, "goal" | "reached"> => ({
  goal: `is ${state}`,
  reached: (_rental, states) => states.includes(state),
});

/**
 * Polls a rental until the goal is reached or the timeout expires. Throws `WaitedTooLong` at the timeout, `NotFound`
 * when the rental has ended or does not exist, and `RentalFailed` when it has failed.
 */
export function waitFor(
  { rentalId, goal, reached, interval = defaultInterval, timeout }: Wait,
  context: Pick<Context, "call" | "now" | "sleep" | "progress">,
): Promise<object> {
  const end = context.now() + timeout;
  let pause = firstPause;
  return context.progress(`Waiting until rental ${rentalId} ${goal}`, async (update) => {
    for (;;) {
      const rental = await getRental(rentalId, context);
      const states = statesOf(rental);
      if (reached(rental, states)) return rental;
      if (!reached({}, ["terminated"])) {
        assertNotTerminated(rentalId, states);
        assertNotFailed(rentalId, states);
      }
      const left = end - context.now();
      if (left <= 0) {
        throw new WaitedTooLong(
          `timed out waiting until rental ${rentalId} ${goal}: it is ${stateText(rental)}`,
          "The rental was not changed and is still billed.",
        );
      }
      update(`Waiting until rental ${rentalId} ${goal}; it is ${stateText(rental)}`);
      await context.sleep(Math.min(pause, interval, left));
      pause *= 2;
    }
  });
}

/** A rental's record. Throws `NotFound`, and `UnexpectedResponse` for the record of another rental. */
export async function getRental(rentalId: string, { call }: Pick<Context, "call">): Promise<object> {
  const rental = await call("getRental", { rentalId });
  if (rental === null) throw new NotFound(`rental ${rentalId} not found`);
  assertIsRental(rentalId, rental);
  return rental;
}

export function assertNotTerminated(rentalId: string, states: readonly string[]): void {
  if (states.includes("terminated")) throw new NotFound(`rental ${rentalId} has ended`);
}

export function assertNotFailed(rentalId: string, states: readonly string[]): void {
  if (states.includes("failed"))
    throw new RentalFailed(`rental ${rentalId} has failed; it may still be billed`);
}

/** All states that a record names, in lower case, each once. For comparisons only. */
export function statesOf(rental: unknown): readonly string[] {
  if (!isRecord(rental)) return [];
  const named = statePaths.map((path) => rental[path]).filter((state) => typeof state === "string");
  const states = [...new Set(named.map((state) => state.toLowerCase()))];
  // `state` is the documented field, and what has ended does not run any more, whatever another field says.
  return isRecord(rental) && /^terminated$/i.test(String(rental.state)) ? ["terminated"] : states;
}

/** The state as every command shows it; undefined when the record names none. */
export function stateOf(rental: unknown): string | undefined {
  const state = firstAt(rental, statePaths);
  return state === undefined || state === "" ? undefined : plainText(state);
}

/** The state as it is written after "it is". */
export const stateText = (rental: unknown): string => stateOf(rental) ?? "in an unknown state";
