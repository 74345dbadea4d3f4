import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { sandbox }) => {
    const { keys } = await sandbox();
    return {
      data: [
        { access: "full", key: keys.full },
        { access: "read-only", key: keys.readOnly },
      ],
    };
  },
};
