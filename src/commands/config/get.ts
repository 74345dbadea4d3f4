import { defineCommand } from "../../command-kit/define.ts";
import { NotFound } from "../../core/errors.ts";
import { key } from "./key.ts";

export default defineCommand({
  path: "config get",
  summary: "Print a setting of the profile",
  details: "If the setting is not set, prints nothing to stdout and exits with code 5.",
  args: [key],
  uses: ["profiles"],
  view: { kind: "lines", path: "value" },
  examples: [
    {
      text: "Set the image model of the current profile, and print it",
      command: "gpuctl config get image.model",
      after: ["gpuctl config set image.model SDXL-turbo"],
    },
    {
      text: "Print a value of another profile as JSON",
      command: "gpuctl config get sandbox --profile play -o json",
      after: ["gpuctl profile add play --sandbox"],
    },
  ],
  run: ({ args: { key }, profiles, settings: { profile } }) => {
    const value = profiles.list().find(({ name }) => name === profile)?.settings[key];
    if (value === undefined) throw new NotFound(`${key} is not set in profile "${profile}"`);
    return { data: { key, value } };
  },
});
