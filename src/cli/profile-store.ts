import { chmod, mkdir } from "node:fs/promises";
import Conf from "conf";
import type { ProfileChange } from "../context/context.ts";
import { UsageError } from "../context/errors.ts";
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
  const { config: folder } = world.folders;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return new Conf<Kept>({
    cwd: folder,
    configName: "config",
    projectName: "gpuctl",
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    schema: configShape,
  });
}

/** Changes a profile, making it when it is not there; the first one made becomes the one in use. */
export async function saveProfile(world: World, name: string, change: ProfileChange): Promise<void> {
  const conf = await writable(world);
  const before = conf.get("profiles") ?? {};
  conf.set("profiles", { ...before, [name]: { ...before[name], ...change } });
  if (conf.get("profile") === undefined) conf.set("profile", name);
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
