import { join } from "node:path";
import type { ConfigKeyName } from "../../commands/config/keys.ts";
import { reasonOf, UsageError } from "../../commands/errors.ts";
import type { World } from "../../context/world.ts";
import { valueAt } from "../../output/paths.ts";
import { jsonOf } from "../json.ts";
import { exposed, trust } from "./guard.ts";
import { misfit } from "./shape.ts";

/** A profile as kept in `config.json`: its key, and values by the table of keys, dots as objects within. */
export interface Profile {
  readonly apiKey?: string;
  readonly [name: string]: unknown;
}

export interface Config {
  /** The profile in use when nothing else names one. */
  readonly profile?: string;
  readonly profiles?: Readonly<Record<string, Profile>>;
}

/** The profile in use when nothing names one. */
export const usualProfile = "default";

type Reading = Pick<World, "folders" | "readSettings" | "user" | "permissions">;

export const configPath = ({ folders }: Pick<World, "folders">): string =>
  join(folders.config, "config.json");

/** The profile of this name, if there is one. */
export const profileOf = ({ profiles = {} }: Config, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined;

/** The text of a value that a profile keeps; nothing when it keeps none. */
export function keptValue(profile: Profile | undefined, key: ConfigKeyName): string | undefined {
  const value = valueAt(profile, key);
  return value === undefined || value === "" ? undefined : String(value);
}

/**
 * The configuration as it stands; reading it needs no library. Throws `UsageError` for a file that is broken or that
 * somebody else may have written; it is left as it is.
 */
export function readConfig(world: Reading): Config {
  const path = configPath(world);
  trust(path, world);
  const text = readText(path, world);
  if (text === undefined || text.trim() === "") return {};
  const config = jsonOf(text);
  if (isConfig(config)) return config;
  const wrong = misfit(config);
  const place = wrong ? `: ${wrong} has the wrong type` : "";
  throw new UsageError(`${path} is not the JSON that gpuctl writes${place}`, {
    hint: "Mend it or move it away; it was left as it is.",
  });
}

/** A warning when others can read a key in the configuration. */
export function exposure({ profiles = {} }: Config, world: Reading): string | undefined {
  const holdsKey = Object.values(profiles).some(({ apiKey }) => apiKey !== undefined);
  return holdsKey ? exposed(configPath(world), world) : undefined;
}

function readText(path: string, { readSettings }: Pick<World, "readSettings">): string | undefined {
  try {
    return readSettings(path);
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${reasonOf(cause)}`, {
      hint: "It was left as it is.",
    });
  }
}

const isConfig = (value: unknown): value is Config => misfit(value) === undefined;
