import { chmod, mkdir } from "node:fs/promises";
import type Conf from "conf";
import { UsageError } from "../commands/errors.ts";
import type { ProfileChange } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { configShape } from "./config-shape.ts";
import { configPath, type Profile, readConfig } from "./profile.ts";

interface Kept {
  profile: string;
  profiles: Record<string, Profile>;
}

/** Opens the configuration for writing: the file has mode 0600, its folder 0700. */
async function open(world: World): Promise<Conf<Kept>> {
  readConfig(world);
  const { default: Store } = await import("conf");
  const { config: folder } = world.folders;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return new Store<Kept>({
    cwd: folder,
    configName: "config",
    projectName: "gpuctl",
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    schema: configShape,
  });
}

/**
 * Changes a profile, making it when it is not there; the first one made becomes the one in use. Another base URL is
 * another service: the inference host that was kept with the old one goes, unless a new one comes along.
 */
export async function saveProfile(world: World, name: string, change: ProfileChange): Promise<void> {
  const conf = await writable(world);
  const before = conf.get("profiles") ?? {};
  conf.set("profiles", { ...before, [name]: { ...ofService(before[name] ?? {}, change), ...change } });
  if (conf.get("profile") === undefined) conf.set("profile", name);
}

/** What of a profile stays when the base URL changes. */
function ofService(profile: Profile, { baseUrl }: ProfileChange): Profile {
  if (baseUrl === undefined || baseUrl === profile.baseUrl) return profile;
  const { inferenceBaseUrl: _, ...rest } = profile;
  return rest;
}

/** Takes the key out of a profile; false when there was none. */
export async function forgetKey(world: World, name: string): Promise<boolean> {
  const kept = readConfig(world).profiles?.[name];
  if (kept?.apiKey === undefined) return false;
  const { apiKey: _, ...rest } = kept;
  const conf = await writable(world);
  conf.set("profiles", { ...conf.get("profiles"), [name]: rest });
  return true;
}

async function writable(world: World) {
  try {
    return await open(world);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(
      `${configPath(world)} cannot be written: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}
