import { parseTime } from "../../../output/time.ts";
import { UsageError } from "../../errors.ts";
import type { Verb } from "../../spec.ts";
import { changeClock } from "./change.ts";

export const verb: Verb<object> = {
  run: (_input, context, { words }) => {
    const text = String(words.TIME ?? "");
    const moment = parseTime(text);
    if (moment === undefined) {
      throw new UsageError(`TIME must be a time such as 2026-12-31T00:00:00Z, not ${JSON.stringify(text)}`);
    }
    return changeClock(context, (clock) => clock.set(moment), "TIME");
  },
};
