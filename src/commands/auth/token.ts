import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { secrets }) => ({ data: { token: (await secrets.keyInUse()).key } }),
};
