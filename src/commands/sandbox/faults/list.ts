import type { Verb } from "../../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { sandbox }) => ({ data: (await sandbox()).faults.list() }),
};
