import { NotFound } from "../errors.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async (_input, { profiles, settings: { profile } }, { words }) => {
    const key = String(words.KEY);
    const value = profiles.list().find(({ name }) => name === profile)?.settings[key];
    if (value === undefined) throw new NotFound(`profile "${profile}" keeps no ${key}`);
    return { data: { key, value } };
  },
};
