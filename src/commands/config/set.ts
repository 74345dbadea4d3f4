import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { UsageError } from "../../core/errors.ts";
import { key } from "./key.ts";
import { saveSetting } from "./save-setting.ts";

export default defineCommand({
  path: "config set",
  summary: "Change a setting of the profile",
  args: [
    key,
    arg.text("VALUE", "New value; `gpuctl config list` describes each setting", {
      required: true,
      valueOfKey: "KEY",
    }),
  ],
  uses: ["profiles"],
  view: { kind: "record", id: ["value"] },
  examples: [
    { text: "Use another image model", command: "gpuctl config set image.model SDXL-turbo" },
    {
      text: "Refuse a rental if all rentals together would cost over ten dollars an hour",
      command: "gpuctl config set budget.maxBurn 10",
    },
    {
      text: "Change a setting of another profile",
      command: "gpuctl config set rentals.region eu-north-4 --profile play",
      after: ["gpuctl profile add play --sandbox"],
    },
  ],
  run: async ({ args: { key, value }, profiles, say, settings }) => {
    const { profile, dryRun } = settings;
    const before = profiles.list().find(({ name }) => name === profile);
    if (key === "apiKeyCommand" && before?.key && before.settings.apiKeyCommand === undefined) {
      throw new UsageError(`profile "${profile}" has a stored key, which apiKeyCommand would replace`, {
        hint: `\`gpuctl auth login --profile ${profile} --key-command COMMAND\` replaces the key, and \`gpuctl auth logout --profile ${profile}\` removes it. Nothing was changed.`,
      });
    }
    if (dryRun) say(nothingDone);
    else await saveSetting(key, value, { profiles, say, settings });
    return { data: { profile, key, value } };
  },
});
