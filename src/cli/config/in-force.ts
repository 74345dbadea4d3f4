import { type ConfigKey, configKeys } from "../../commands/config/keys.ts";
import type { GlobalFlag } from "../../commands/global-flag.ts";
import type { ValueInForce } from "../../context/context.ts";
import type { Environment } from "../../context/world.ts";
import { globalFlags } from "../globals.ts";
import { keptValue, type Profile } from "./profile.ts";

/** Every key with the value that counts when no flag is given, and where it comes from. */
export const inForce = (
  name: string,
  profile: Profile | undefined,
  env: Environment,
): readonly ValueInForce[] =>
  configKeys.map((key) => {
    const about = { key: key.name, meaning: key.text };
    const flag = flagOf(key);
    const variable = flag?.env === undefined ? undefined : env[flag.env];
    if (flag?.env && variable) return { ...about, value: variable, source: flag.env };
    const value = keptValue(profile, key.name);
    if (value !== undefined) return { ...about, value, source: `profile "${name}"` };
    const usual = flag?.default;
    return { ...about, value: usual ?? null, source: usual === undefined ? null : "default" };
  });

const flagOf = ({ global }: ConfigKey): GlobalFlag | undefined =>
  globalFlags.find(({ name }) => name === global);
