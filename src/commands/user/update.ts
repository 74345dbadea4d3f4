import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../errors.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<InputOf<"updateCurrentUser">> = {
  run: async (input, { call }) => {
    if (Object.keys(input).length === 0) {
      throw new UsageError("nothing to change: give --name or --onboarded-for");
    }
    return { data: await call("updateCurrentUser", input) };
  },
};
