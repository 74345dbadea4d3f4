import type { Verb } from "../spec.ts";
import { profileNamed, shown } from "./shown.ts";

export const verb: Verb<object> = {
  run: async (_input, { profiles, settings }, { words }) => {
    const profile = profileNamed(String(words.NAME ?? settings.profile), profiles.list());
    const { baseUrl, inferenceBaseUrl, sandbox, ...others } = profile.settings;
    return { data: { ...shown(profile), settings: others } };
  },
};
