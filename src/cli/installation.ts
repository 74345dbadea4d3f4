import { configKeys } from "../commands/config/keys.ts";
import { UsageError } from "../commands/errors.ts";
import type { Installation } from "../context/context.ts";
import type { World } from "../context/world.ts";
import { colored } from "./color.ts";
import { configPath, keptValue, type Profile, profileOf, readConfig } from "./config/profile.ts";
import { isUsable } from "./config/rules.ts";
import type { Settings } from "./settings.ts";

/** What is wrong with the values that a profile keeps; other commands end over them. */
function unusable(profile: Profile | undefined, name: string): string | undefined {
  const wrong = configKeys.flatMap((key) => {
    const text = keptValue(profile, key.name);
    return text === undefined || isUsable(key.name, text) ? [] : [`${key.name} ${JSON.stringify(text)}`];
  });
  if (wrong.length === 0) return undefined;
  return `profile "${name}" keeps what cannot be used: ${wrong.join(", ")} (\`gpuctl config unset KEY\` removes one)`;
}

/** The machine and what gpuctl is set to, to be looked at. */
export const installation = (settings: Settings, world: World): Installation => ({
  ...world.machine,
  get configPath() {
    return configPath(world);
  },
  configProblem: () => {
    try {
      return unusable(profileOf(readConfig(world), settings.profile), settings.profile);
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
