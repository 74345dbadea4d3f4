import { defineCommand } from "../../command-kit/define.ts";
import { shownProfile } from "../../command-kit/profiles.ts";
import { exampleProfiles } from "./args.ts";

export default defineCommand({
  path: "profile list",
  summary: "List the profiles and mark the current one",
  uses: ["profiles"],
  view: {
    kind: "list",
    columns: [
      { title: "NAME", paths: ["name"] },
      { title: "IN USE", paths: ["inUse"], format: "yes-no" },
      { title: "KIND", paths: ["kind"] },
      { title: "BASE URL", paths: ["baseUrl"], whole: true },
      { title: "INFERENCE", paths: ["inferenceBaseUrl"], whole: true, priority: 2 },
      { title: "KEY", paths: ["key"] },
      { title: "KEY FROM", paths: ["keySource"], priority: 1 },
    ],
    empty: "No profiles. Run `gpuctl setup` to create one.",
    id: ["name"],
  },
  examples: [
    {
      text: "List all profiles",
      command: "gpuctl profile list",
      after: [exampleProfiles.play, exampleProfiles.work],
    },
    {
      text: "Print only the names",
      command: "gpuctl profile list -o id",
      after: [exampleProfiles.play, exampleProfiles.work],
    },
  ],
  run: ({ profiles }) => ({ data: profiles.list().map(shownProfile) }),
});
