import { keyEnding } from "../core/text.ts";
import type { Environment } from "../core/urls.ts";
import {
  configPath,
  defaultProfile,
  type Profile,
  profileOf,
  profileValue,
  profileValues,
  readConfig,
} from "./file.ts";
import { type ConfigKey, choicesOf, configKey, configKeys } from "./keys.ts";
import type { ConfigFiles, Credential, GlobalSetting, Profiles } from "./types.ts";
import { nameProblem } from "./values.ts";

export interface ProfilesOptions {
  /** The current profile. */
  readonly profile: string;
  /** The profile that a flag or an environment variable sets. */
  readonly namedProfile: string | undefined;
  readonly files: ConfigFiles;
  readonly env: Environment;
  readonly flags: readonly GlobalSetting[];
}

/**
 * Creates the functions that read and change the stored profiles. None of them returns an API key. The code that
 * changes profiles is loaded on first use.
 */
export function createProfiles({ files, env, flags, ...settings }: ProfilesOptions): Profiles {
  return {
    path: configPath(files),
    nameProblem,
    describeKey: (name) => {
      const key = configKey(name);
      return key && { text: key.text, choices: choicesOf(key) };
    },
    list: () => {
      const { profile = defaultProfile, profiles = {} } = readConfig(files);
      const used = settings.namedProfile ?? profile;
      return Object.entries(profiles).map(([name, one]) => ({
        name,
        inUse: name === used,
        isDefault: name === profile,
        settings: profileValues(one),
        key: credential(one),
      }));
    },
    effective: () => {
      const values = profileValues(profileOf(readConfig(files), settings.profile));
      return configKeys.map((key: ConfigKey) => {
        const flag = flags.find(({ name }) => name === key.global);
        const given = [
          { value: flag?.env && env[flag.env], source: flag?.env },
          { value: values[key.name], source: `profile "${settings.profile}"` },
          { value: flag?.default ?? flag?.defaultText, source: "default" },
        ].find(({ value }) => value);
        return {
          key: key.name,
          meaning: key.text,
          value: given?.value ?? null,
          source: given?.source ?? null,
        };
      });
    },
    save: async (name, change) => (await import("./change.ts")).saveProfile(files, name, change),
    add: async (name, change) => (await import("./change.ts")).addProfile(files, name, change),
    use: async (name) => (await import("./change.ts")).useProfile(files, name),
    remove: async (name) => (await import("./change.ts")).removeProfile(files, name),
    removeKey: async (name) => (await import("./change.ts")).removeKey(files, name),
  };
}

function credential(profile: Profile): Credential | undefined {
  if (profile.apiKey) return { source: "config.json", lastFour: keyEnding(profile.apiKey) };
  return profileValue(profile, "apiKeyCommand") === undefined
    ? undefined
    : { source: "apiKeyCommand", lastFour: "" };
}
