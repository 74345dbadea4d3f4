import type { InputOf } from "../../contract/index.ts";
import { durationFlag } from "../shared/values.ts";
import type { Verb } from "../spec.ts";
import { intervalOf } from "./interval.ts";
import { inState, waitFor } from "./waiting.ts";

export const verb: Verb<InputOf<"getRental">> = {
  run: async ({ rentalId }, context, { flags }) => {
    const wait = {
      rentalId,
      ...inState(String(flags.for)),
      interval: intervalOf(flags),
      timeout: durationFlag(flags, "wait-timeout"),
    };
    return { data: await waitFor(wait, context) };
  },
};
