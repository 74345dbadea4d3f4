import { chmod, readdir, realpath, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { NotFound, reasonOf, UsageError } from "../../commands/errors.ts";
import type { World } from "../../context/world.ts";
import { makeFolder } from "../../media/folders.ts";
import { trustPlace } from "./guard.ts";
import { locked } from "./lock.ts";
import { type Config, configPath, readConfig } from "./profile.ts";
import { configShape } from "./shape.ts";

/**
 * Changes the configuration while no other process does: what it is now in, what it is to be out; the same again means
 * that nothing is written. The file has mode 0600, its folder 0700; it is put in place whole, or not at all. A symbolic
 * link stays one. Throws `UsageError` when it cannot be read or written.
 */
export async function changeConfig(world: World, change: (config: Config) => Config): Promise<void> {
  const { config: folder } = world.folders;
  const path = configPath(world);
  try {
    trustPlace(folder, world);
    await makeFolder(folder);
    await chmod(folder, 0o700);
    await locked(path, async () => {
      const before = readConfig(world);
      const after = change(before);
      if (after !== before) await write(after, folder, path);
    });
  } catch (cause) {
    if (cause instanceof UsageError || cause instanceof NotFound) throw cause;
    throw new UsageError(`${path} cannot be written: ${reasonOf(cause)}`);
  }
}

async function write(config: Config, folder: string, path: string): Promise<void> {
  const { default: Store } = await import("conf");
  const store = new Store<Record<string, unknown>>({
    cwd: folder,
    configName: "config",
    projectName: "gpuctl",
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    schema: configShape,
  });
  store.store = { ...config };
  await sweep(path);
}

/** Takes away what a process left that was killed while it wrote; only the holder of the lock may. */
async function sweep(path: string): Promise<void> {
  const real = await realpath(path);
  const folder = dirname(real);
  const left = (await readdir(folder)).filter((name) => name.startsWith(`${basename(real)}.tmp-`));
  for (const name of left) await rm(join(folder, name), { force: true });
}
