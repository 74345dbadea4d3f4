import { NotFound } from "../../errors.ts";
import { parseNumber } from "../../shared/values.ts";
import type { Verb } from "../../spec.ts";
import { controlled } from "../control.ts";

export const verb: Verb<object> = {
  run: async (_input, context, { words }) => {
    const id = words.FAULT === undefined ? undefined : parseNumber(String(words.FAULT), "FAULT");
    const cleared = await controlled(context, {
      run: ({ faults }) => faults.clear(id),
      dry: () => 0,
      nameOf: () => "FAULT",
    });
    if (id !== undefined && cleared === 0 && !context.settings.dryRun) {
      throw new NotFound(`no fault has the number ${id}`);
    }
    return { data: { cleared } };
  },
};
