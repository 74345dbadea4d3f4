import type { Context } from "../../context/context.ts";
import { NotFound, RentalFailed, WaitedTooLong } from "../errors.ts";
import { isRecord } from "../shared/records.ts";

export interface Wait {
  readonly rentalId: string;
  readonly state: string;
  /** Milliseconds between two looks. */
  readonly interval: number;
  /** Milliseconds at most. */
  readonly timeout: number;
}

/**
 * Looks a rental up again and again until it has the state, for the last time when time is up. Throws `WaitedTooLong`,
 * `NotFound` when it is gone, `RentalFailed` when the service could not bring it up.
 */
export function waitFor(wait: Wait, context: Context): Promise<unknown> {
  const { rentalId, state, interval, timeout } = wait;
  const end = context.now() + timeout;
  return context.progress(`Waiting until rental ${rentalId} is ${state}`, async (update) => {
    for (;;) {
      const rental = await context.call("getRental", { rentalId });
      if (rental === null) throw new NotFound(`no rental ${rentalId} belongs to you`);
      const states = statesOf(rental);
      if (states.includes(state)) return rental;
      if (state !== "terminated" && states.includes("terminated")) {
        throw new NotFound(`rental ${rentalId} has ended and will not be ${state}`);
      }
      if (state !== "terminated" && states.includes("failed")) {
        throw new RentalFailed(`rental ${rentalId} has failed and will not be ${state}; it may still bill`);
      }
      const left = end - context.now();
      if (left <= 0) throw tooLong(rentalId, states, state);
      update(`Waiting until rental ${rentalId} is ${state}; it is ${states.join(", ")}`);
      await context.sleep(Math.min(interval, left));
    }
  });
}

/** All that a record says of its state, in lower case. */
function statesOf(rental: unknown): readonly string[] {
  if (!isRecord(rental)) return [];
  return [rental.status, rental.state]
    .filter((state): state is string => typeof state === "string")
    .map((state) => state.toLowerCase());
}

const tooLong = (id: string, states: readonly string[], wanted: string) =>
  new WaitedTooLong(
    `rental ${id} is ${states.join(", ") || "in no known state"}, not ${wanted}, and time is up`,
    states.includes("terminated") ? "It has ended." : "The rental still bills: it was not touched.",
  );
