import { keyEnding } from "../core/text.ts";
import type { Environment } from "../core/urls.ts";
import { configPath, defaultProfile, type Profile, profileOf, profileValue, readConfig } from "./file.ts";
import { type ConfigKey, choicesOf, configKey, configKeys } from "./keys.ts";
import type {
  ConfigFiles,
  Credential,
  EffectiveValue,
  GlobalSetting,
  ProfileSummary,
  Profiles,
} from "./types.ts";
import { nameProblem } from "./values.ts";

export interface ProfilesOptions {
  /** The profile in use, and the one that a flag or a variable names. */
  readonly profile: string;
  readonly namedProfile: string | undefined;
  readonly files: ConfigFiles;
  readonly env: Environment;
  readonly flags: readonly GlobalSetting[];
}

/** The profiles of the configuration, without their keys. What changes them is loaded on first use. */
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
        ...summary(one),
      }));
    },
    effective: () => {
      const profile = profileOf(readConfig(files), settings.profile);
      return configKeys.map((key) => effective(key, { name: settings.profile, profile, env, flags }));
    },
    save: async (name, change) => (await import("./change.ts")).saveProfile(files, name, change),
    add: async (name, change) => (await import("./change.ts")).addProfile(files, name, change),
    use: async (name) => (await import("./change.ts")).useProfile(files, name),
    remove: async (name) => (await import("./change.ts")).removeProfile(files, name),
    forgetKey: async (name) => (await import("./change.ts")).forgetKey(files, name),
  };
}

function summary(profile: Profile): Pick<ProfileSummary, "settings" | "key"> {
  const settings = configKeys.flatMap(({ name: key }) => {
    const value = profileValue(profile, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { settings: Object.fromEntries(settings), key: credential(profile) };
}

function credential(profile: Profile): Credential | undefined {
  if (profile.apiKey) return { source: "config.json", lastFour: keyEnding(profile.apiKey) };
  return profileValue(profile, "apiKeyCommand") === undefined
    ? undefined
    : { source: "apiKeyCommand", lastFour: "" };
}

interface Sources {
  readonly name: string;
  readonly profile: Profile | undefined;
  readonly env: Environment;
  readonly flags: readonly GlobalSetting[];
}

/** A key with the value that applies when no flag is given, and where it comes from. */
function effective(
  key: ConfigKey & Pick<(typeof configKeys)[number], "name">,
  { name, profile, env, flags }: Sources,
): EffectiveValue {
  const about = { key: key.name, meaning: key.text };
  const flag = flags.find((one) => one.name === key.global);
  const variable = flag?.env === undefined ? undefined : env[flag.env];
  if (flag?.env && variable) return { ...about, value: variable, source: flag.env };
  const value = profileValue(profile, key.name);
  if (value !== undefined) return { ...about, value, source: `profile "${name}"` };
  return flag?.default === undefined
    ? { ...about, value: null, source: null }
    : { ...about, value: flag.default, source: "default" };
}
