import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { settings, profiles, say }) => {
    const { profile } = settings;
    if (settings.dryRun) {
      say(nothingDone);
      return { data: { profile, forgotten: false } };
    }
    const forgotten = await profiles.forgetKey(profile);
    if (!forgotten) say(`The profile "${profile}" holds no key.`);
    return { data: { profile, forgotten } };
  },
};
