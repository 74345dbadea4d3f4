import { defineCommand } from "../../command-kit/define.ts";
import { nothingDone } from "../../command-kit/results.ts";
import { key } from "./key.ts";
import { saveSetting } from "./save-setting.ts";

export default defineCommand({
  path: "config unset",
  summary: "Remove a setting from the profile",
  args: [key],
  uses: ["profiles"],
  view: { kind: "record", id: ["key"] },
  examples: [
    {
      text: "Use the default image model again",
      command: "gpuctl config unset image.model",
      after: ["gpuctl config set image.model SDXL-turbo"],
    },
    {
      text: "Remove a setting that is not set, which also succeeds",
      command: "gpuctl config unset budget.maxCost",
    },
  ],
  run: async ({ args: { key }, profiles, say, settings }) => {
    const { profile, dryRun } = settings;
    const before = profiles.list().find(({ name }) => name === profile)?.settings[key];
    const unset = before !== undefined && !dryRun;
    if (dryRun) say(nothingDone);
    else if (before === undefined) say(`${key} is not set in profile "${profile}".`);
    else await saveSetting(key, undefined, { profiles, say, settings });
    return { data: { profile, key, unset } };
  },
});
