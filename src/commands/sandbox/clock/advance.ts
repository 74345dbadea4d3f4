import { parseDuration } from "../../../output/durations.ts";
import { UsageError } from "../../errors.ts";
import type { Verb } from "../../spec.ts";
import { changeClock } from "./change.ts";

export const verb: Verb<object> = {
  run: (_input, context, { words }) => {
    const text = String(words.DURATION ?? "");
    const milliseconds = parseDuration(text);
    if (milliseconds === undefined) {
      throw new UsageError(`DURATION must be a span such as 30d, 12h or 90s, not ${JSON.stringify(text)}`);
    }
    return changeClock(context, (clock) => clock.advance(milliseconds), "DURATION");
  },
};
