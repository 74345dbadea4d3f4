import { defineCommand } from "../../command-kit/define.ts";

export default defineCommand({
  path: "config list",
  summary: "List every setting with its value, source and meaning",
  uses: ["profiles"],
  view: {
    kind: "list",
    columns: [
      { title: "KEY", paths: ["key"] },
      { title: "VALUE", paths: ["value"] },
      { title: "SOURCE", paths: ["source"] },
      { title: "MEANING", paths: ["meaning"] },
    ],
    empty: "No settings.",
    id: ["key"],
  },
  examples: [
    { text: "List all settings", command: "gpuctl config list" },
    { text: "Print as JSON", command: "gpuctl config list -o json" },
  ],
  run: ({ profiles }) => ({ data: profiles.effective() }),
});
