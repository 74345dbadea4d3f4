import { defineCommand } from "../../command-kit/define.ts";

export default defineCommand({
  path: "config path",
  summary: "Print the path of the configuration file",
  needsNoConfig: true,
  uses: ["profiles"],
  view: { kind: "lines", path: "path" },
  examples: [
    { text: "Print the path", command: "gpuctl config path" },
    { text: "Print as JSON", command: "gpuctl config path -o json" },
  ],
  run: ({ profiles }) => ({ data: { path: profiles.path } }),
});
