import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { sandboxFacts }) => ({ data: (await sandboxFacts()).limits }),
};
