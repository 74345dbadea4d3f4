import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../errors.ts";
import { durationFlag } from "../shared/values.ts";
import type { Args, Verb } from "../spec.ts";
import { waitFor } from "./waiting.ts";

/** Milliseconds between two looks: never none, so that the service is not flooded. */
function pauseFlag(flags: Args["flags"]): number {
  const interval = durationFlag(flags, "interval");
  if (interval === 0) throw new UsageError("--interval must be longer than nothing");
  return interval;
}

export const verb: Verb<InputOf<"getRental">> = {
  run: async ({ rentalId }, context, { flags }) => {
    const wait = {
      rentalId,
      state: String(flags.for),
      interval: pauseFlag(flags),
      timeout: durationFlag(flags, "wait-timeout"),
    };
    return { data: await waitFor(wait, context) };
  },
};
