import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { sandboxFacts }) => {
    const { keys } = await sandboxFacts();
    return {
      data: [
        { access: "full", key: keys.full },
        { access: "read-only", key: keys.readOnly },
      ],
    };
  },
};
