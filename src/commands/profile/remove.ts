import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";
import { profileNamed } from "./shown.ts";

export const verb: Verb<object> = {
  input: ({ words }, { profiles }) => {
    profileNamed(String(words.NAME), profiles.list());
    return {};
  },
  question: (_input, { words }) => `Remove the profile "${words.NAME}" with its key and its defaults?`,
  run: async (_input, { profiles, say, settings }, { words }) => {
    const name = String(words.NAME);
    const { inUse } = profileNamed(name, profiles.list());
    if (settings.dryRun) say(nothingDone);
    else await profiles.remove(name);
    const used = profiles.list().find((one) => one.inUse)?.name ?? null;
    if (inUse && !settings.dryRun) {
      say(
        used === null
          ? "No profile is used now: `gpuctl profile use NAME` says which one."
          : `The profile "${used}" is used from now on.`,
      );
    }
    return { data: { removed: settings.dryRun ? null : name, inUse: used } };
  },
};
