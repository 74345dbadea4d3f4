import { defineCommand } from "../../command-kit/define.ts";
import { nothingDone } from "../../command-kit/results.ts";

export default defineCommand({
  path: "auth logout",
  summary: "Remove the API key from a profile",
  uses: ["profiles"],
  view: { kind: "record", id: [] },
  examples: [
    { text: "Remove the key of the current profile", command: "gpuctl auth logout" },
    {
      text: "Remove the key of another profile",
      command: "gpuctl auth logout --profile work",
      after: [
        "printenv API_KEY | gpuctl auth login --with-token --profile work --base-url https://api.example.com",
      ],
    },
  ],
  run: async ({ settings: { profile, dryRun }, profiles, say }) => {
    const forgotten = !dryRun && (await profiles.removeKey(profile));
    if (dryRun) say(nothingDone);
    else if (!forgotten) say(`The profile "${profile}" has no key.`);
    return { data: { profile, forgotten } };
  },
});
