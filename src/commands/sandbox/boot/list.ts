import { bootColumns, controlCommand } from "../control.ts";

export default controlCommand({
  path: "sandbox boot list",
  summary: "List the boot rules, including those used up",
  view: { kind: "list", columns: bootColumns, empty: "No boot rules.", id: ["id"] },
  examples: [
    { text: "List the rules", command: "gpuctl sandbox boot list" },
    { text: "Print as JSON", command: "gpuctl sandbox boot list -o json" },
  ],
  act: ({ boots }) => boots.list(),
});
