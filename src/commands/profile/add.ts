import { UsageError } from "../errors.ts";
import { nothingDone } from "../shared/dry-run.ts";
import type { Verb } from "../spec.ts";
import { profileNamed, shown } from "./shown.ts";

export const verb: Verb<object> = {
  run: async (_input, { profiles, say, settings }, { flags, words }) => {
    const name = String(words.NAME);
    const { sandbox, baseUrl, inferenceBaseUrl } = settings;
    const command = flags["key-command"];
    if (!sandbox && baseUrl === undefined) {
      throw new UsageError("a profile is an account or the sandbox: give --base-url URL or --sandbox");
    }
    if (sandbox && command !== undefined) {
      throw new UsageError("--key-command is for an account: the sandbox has a key of its own");
    }
    const kept = {
      ...(sandbox && { sandbox: "true" }),
      ...(baseUrl !== undefined && { baseUrl }),
      ...(inferenceBaseUrl !== undefined && { inferenceBaseUrl }),
      ...(typeof command === "string" && { apiKeyCommand: command }),
    };
    if (settings.dryRun) {
      say(nothingDone);
      return { data: shown({ name, inUse: false, settings: kept, key: undefined }) };
    }
    await profiles.add(name, { settings: kept });
    const made = profileNamed(name, profiles.list());
    if (!sandbox && made.key === undefined) {
      say(`It has no key yet: \`gpuctl auth login --profile ${name}\` keeps one.`);
    }
    if (!made.inUse) say(`\`gpuctl profile use ${name}\` uses it from now on, --profile ${name} once.`);
    return { data: shown(made) };
  },
};
