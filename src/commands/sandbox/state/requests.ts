import { UsageError } from "../../errors.ts";
import { parseNumber } from "../../shared/values.ts";
import type { Verb } from "../../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { sandbox }, { flags }) => {
    const limit = parseNumber(String(flags.limit), "--limit");
    if (!Number.isInteger(limit) || limit < 1) {
      throw new UsageError(`--limit must be a whole number of at least 1, not ${limit}`);
    }
    return { data: (await sandbox()).requests(limit) };
  },
};
