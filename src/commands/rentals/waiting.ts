import { defaultWaitTimeout, type Wait, waitForRental } from "../../client/rentals/waiting.ts";
import type { Context } from "../../command-kit/context.ts";
import { flag } from "../../command-kit/flag.ts";
import { firstAt } from "../../core/json.ts";
import { statePaths } from "../../core/responses/rental.ts";
import { duration } from "../../core/values/durations.ts";
import { plainText } from "../../output/text.ts";

export const waitTimeout = flag.duration("Maximum time to wait", { default: duration(defaultWaitTimeout) });

/** Polls a rental and shows the progress. Throws as `waitForRental` does. */
export const waitFor = (
  wait: Wait,
  { call, now, sleep, progress }: Pick<Context, "call" | "now" | "sleep" | "progress">,
): Promise<object> => {
  const title = `Waiting until rental ${wait.rentalId} ${wait.goal}`;
  return progress(title, (show) => {
    const update = (rental: unknown) => show(`${title}; it is ${stateText(rental)}`);
    return waitForRental(wait, { call, now, sleep, stateText, update });
  });
};

/** The state as every command shows it; undefined if the record has none. */
export function stateOf(rental: unknown): string | undefined {
  const state = firstAt(rental, statePaths);
  return state === undefined || state === "" ? undefined : plainText(state);
}

/** The state as it is written after "it is". */
export const stateText = (rental: unknown): string => stateOf(rental) ?? "in an unknown state";
