import { keyEnding } from "../../commands/auth/key-ending.ts";
import { configKeys } from "../../commands/config/keys.ts";
import type { Credential, KeptProfile, Profiles } from "../../context/context.ts";
import type { World } from "../../context/world.ts";
import type { Settings } from "../settings.ts";
import { inForce } from "./in-force.ts";
import { configPath, keptValue, type Profile, profileOf, readConfig, usualProfile } from "./profile.ts";

/** The profiles of the configuration, as commands see them: no key is among what they show. */
export const profilesOf = (settings: Settings, world: World): Profiles => ({
  path: configPath(world),
  list: () => {
    const { profile = usualProfile, profiles = {} } = readConfig(world);
    const used = settings.namedProfile ?? profile;
    return Object.entries(profiles).map(([name, one]) => ({
      ...kept(name, one),
      inUse: name === used,
      usual: name === profile,
    }));
  },
  inForce: () => inForce(settings.profile, profileOf(readConfig(world), settings.profile), world.env),
  save: async (name, change) => (await import("./edit.ts")).saveProfile(world, name, change),
  add: async (name, change) => (await import("./edit.ts")).addProfile(world, name, change),
  use: async (name) => (await import("./edit.ts")).useProfile(world, name),
  remove: async (name) => (await import("./edit.ts")).removeProfile(world, name),
  forgetKey: async (name) => (await import("./edit.ts")).forgetKey(world, name),
});

function kept(name: string, profile: Profile): Omit<KeptProfile, "inUse" | "usual"> {
  const settings = configKeys.flatMap(({ name: key }) => {
    const value = keptValue(profile, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { name, settings: Object.fromEntries(settings), key: keyOf(profile) };
}

function keyOf(profile: Profile): Credential | undefined {
  if (profile.apiKey) return { source: "config.json", lastFour: keyEnding(profile.apiKey) };
  return keptValue(profile, "apiKeyCommand") === undefined
    ? undefined
    : { source: "apiKeyCommand", lastFour: "" };
}
