import { NotFound, UsageError } from "../../commands/errors.ts";
import { nameProblem } from "../../commands/profile/name.ts";
import type { ProfileChange } from "../../context/context.ts";
import type { World } from "../../context/world.ts";
import { changed, hasKey, withoutKey } from "./change.ts";
import { type Config, type Profile, profileOf, usualProfile } from "./profile.ts";
import { changeConfig } from "./store.ts";

/** Changes a profile, making it when it is not there; the first one made becomes the one in use. */
export const saveProfile = (world: World, name: string, change: ProfileChange): Promise<void> =>
  changeConfig(world, (config) =>
    withProfile(config, name, changed(name, profileOf(config, name) ?? {}, change)),
  );

/** Makes a profile. Throws `UsageError` when there is one of that name. */
export const addProfile = (world: World, name: string, change: ProfileChange): Promise<void> =>
  changeConfig(world, (config) => {
    if (profileOf(config, name)) {
      throw new UsageError(`there is a profile "${name}" already`, {
        hint: `\`gpuctl config set KEY VALUE --profile ${name}\` changes it, and \`gpuctl auth login --profile ${name}\` its key.`,
      });
    }
    return withProfile(config, name, changed(name, {}, change));
  });

/** Makes a profile the one in use. Throws `NotFound` when there is none of that name. */
export const useProfile = (world: World, name: string): Promise<void> =>
  changeConfig(world, (config) => {
    existing(config, name);
    return config.profile === name ? config : { ...config, profile: name };
  });

/** Takes a profile away. When it was the one in use, another one is from then on. Throws `NotFound`. */
export const removeProfile = (world: World, name: string): Promise<void> =>
  changeConfig(world, (config) => {
    existing(config, name);
    const left = Object.entries(config.profiles ?? {}).filter(([one]) => one !== name);
    const { profile: used = usualProfile, profiles: _, ...rest } = config;
    const names = left.map(([one]) => one);
    // No other one takes its place unasked: it may be somebody else's money.
    const next = [used, usualProfile].find((one) => names.includes(one));
    return { ...rest, ...(next !== undefined && { profile: next }), profiles: Object.fromEntries(left) };
  });

/** Takes the key of any kind out of a profile; false when there was none. */
export async function forgetKey(world: World, name: string): Promise<boolean> {
  let forgotten = false;
  await changeConfig(world, (config) => {
    const profile = profileOf(config, name);
    forgotten = profile !== undefined && hasKey(profile);
    return profile && forgotten ? withProfile(config, name, withoutKey(profile)) : config;
  });
  return forgotten;
}

function withProfile(config: Config, name: string, profile: Profile): Config {
  if (profileOf(config, name) === undefined) named(name);
  const profiles = Object.fromEntries([...Object.entries(config.profiles ?? {}), [name, profile]]);
  return { ...config, profile: config.profile ?? name, profiles };
}

/** Throws `UsageError` unless a profile may have this name. */
function named(name: string): void {
  const hint = nameProblem(name);
  if (hint) throw new UsageError(`${JSON.stringify(name)} cannot be the name of a profile`, { hint });
}

function existing({ profiles = {}, ...config }: Config, name: string): void {
  if (profileOf({ ...config, profiles }, name)) return;
  const names = Object.keys(profiles);
  throw new NotFound(
    `there is no profile "${name}"${names.length > 0 ? `; there are: ${names.join(", ")}` : ""}`,
  );
}
