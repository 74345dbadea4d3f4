import { tmpdir } from "node:os";
import { Unavailable } from "./errors.ts";
import type { World } from "./world.ts";

/**
 * Where the user's files are: where the environment says, else in the places that the system has for them. Those need
 * a home folder; where there is none, asking for a folder that the environment does not name throws `Unavailable`.
 */
export async function foldersOf(env: World["env"]): Promise<World["folders"]> {
  const { GPUCTL_CONFIG_DIR: config, GPUCTL_STATE_DIR: state } = env;
  const usual = config && state ? undefined : await usualFolders();
  return {
    get config() {
      return config || usual?.config || homeless();
    },
    get state() {
      return state || usual?.data || homeless();
    },
    temporary: tmpdir(),
  };
}

/** Nothing for a user without a home folder: the library looks for one when it is loaded. */
async function usualFolders() {
  try {
    const { default: envPaths } = await import("env-paths");
    return envPaths("gpuctl", { suffix: "" });
  } catch {
    return undefined;
  }
}

function homeless(): never {
  throw new Unavailable(
    "there is no home folder to keep files in",
    "GPUCTL_CONFIG_DIR and GPUCTL_STATE_DIR name folders for the configuration and the sandbox.",
  );
}
