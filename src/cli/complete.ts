import type { World } from "../context/world.ts";
import { cachePath, readKept } from "./complete-cache.ts";
import { readWanted, type Wanted } from "./complete-line.ts";
import { type CompletedValue, isWord, valueLines } from "./complete-value.ts";
import { readConfig } from "./config/profile.ts";
import { resolveSettings } from "./settings.ts";

export interface Completing
  extends Pick<World, "env" | "folders" | "readSettings" | "user" | "permissions" | "now"> {
  /** Has the values asked for anew; settles when that is over, or when the shell has waited long enough. */
  readonly refill: () => Promise<void>;
}

/**
 * What a shell gets for `__complete KIND [PREFIX] [FLAG]...`: lines of values that can be typed next. Whatever goes
 * wrong, the answer is no lines: a shell that completes has no place for a message.
 */
export async function complete(argv: readonly string[], world: Completing): Promise<string> {
  try {
    const wanted = readWanted(argv);
    const values = wanted.kind === "profile" ? profiles(world) : await ofService(wanted, world);
    return valueLines(values, wanted.prefix);
  } catch {
    return "";
  }
}

const profiles = (world: Completing): readonly CompletedValue[] =>
  Object.keys(readConfig(world).profiles ?? {})
    .filter(isWord)
    .map((value) => ({ value, description: "" }));

/** Fresh values from the cache, else those that a request brings in time, else what is kept from before. */
async function ofService({ kind, typed }: Wanted, world: Completing): Promise<readonly CompletedValue[]> {
  const settings = resolveSettings({ typed, env: world.env, config: readConfig(world), for: "use" });
  if (!settings.sandbox && settings.baseUrl === undefined) return [];
  const path = cachePath(world.folders, kind, settings);
  const kept = readKept(path, world);
  if (kept?.fresh) return kept.values;
  await world.refill();
  return readKept(path, world)?.values ?? [];
}
