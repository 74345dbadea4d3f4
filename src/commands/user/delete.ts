import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  question: () => "Delete the current user? This cannot be undone.",
  run: async (_input, { call }) => ({ data: await call("deleteCurrentUser", {}) }),
};
