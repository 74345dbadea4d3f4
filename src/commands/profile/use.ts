import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";
import { profileNamed, shown } from "./shown.ts";

export const verb: Verb<object> = {
  run: async (_input, { profiles, say, settings }, { words }) => {
    const name = String(words.NAME);
    if (settings.dryRun) {
      say(nothingDone);
      return { data: shown(profileNamed(name, profiles.list())) };
    }
    await profiles.use(name);
    const used = profileNamed(name, profiles.list());
    if (!used.inUse) say(`Here "${settings.profile}" is used all the same: GPUCTL_PROFILE names it.`);
    return { data: shown(used) };
  },
};
