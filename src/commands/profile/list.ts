import type { Verb } from "../spec.ts";
import { shown } from "./shown.ts";

export const verb: Verb<object> = {
  run: async (_input, { profiles }) => ({ data: profiles.list().map(shown) }),
};
