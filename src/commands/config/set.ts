import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { profiles, say, settings: { profile, dryRun } }, { words }) => {
    const [key, value] = [String(words.KEY), String(words.VALUE)];
    if (dryRun) say(nothingDone);
    else await profiles.save(profile, { settings: { [key]: value } });
    return { data: { profile, key, value } };
  },
};
