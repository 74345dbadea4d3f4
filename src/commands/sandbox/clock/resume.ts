import type { Verb } from "../../spec.ts";
import { changeClock } from "./change.ts";

export const verb: Verb<object> = {
  run: (_input, context) => changeClock(context, (clock) => clock.resume()),
};
