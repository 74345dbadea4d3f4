import { UsageError } from "../commands/errors.ts";
import type { Installation } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { colored } from "./color.ts";
import { configPath, readConfig } from "./config/profile.ts";
import type { Settings } from "./settings.ts";

/** The machine and what gpuctl is set to, to be looked at. */
export const installation = (settings: Settings, world: World): Installation => ({
  ...world.machine,
  get configPath() {
    return configPath(world);
  },
  configProblem: () => {
    try {
      readConfig(world);
      return undefined;
    } catch (error) {
      return error instanceof UsageError ? error.message : String(error);
    }
  },
  get stateFolder() {
    return world.folders.state;
  },
  get terminal() {
    const { stdin, stdout, stderr, env } = world;
    return {
      stdin: stdin.isTTY,
      stdout: stdout.isTTY,
      stderr: stderr.isTTY,
      columns: stdout.columns,
      color: colored(settings.color, stdout.isTTY, env),
    };
  },
});
