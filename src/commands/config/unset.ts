import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { profiles, say, settings: { profile, dryRun } }, { words }) => {
    const key = String(words.KEY);
    const kept = profiles.list().find(({ name }) => name === profile)?.settings[key];
    const unset = kept !== undefined && !dryRun;
    if (dryRun) say(nothingDone);
    else if (kept === undefined) say(`Profile "${profile}" keeps no ${key}.`);
    else await profiles.save(profile, { settings: { [key]: undefined } });
    return { data: { profile, key, unset } };
  },
};
