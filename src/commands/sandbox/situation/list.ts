import { controlCommand, situationColumns } from "../control.ts";

export default controlCommand({
  path: "sandbox situation list",
  summary: "List the situations, and how often each had an effect",
  details: "The effects of same-region are not counted.",
  view: { kind: "list", columns: situationColumns, empty: "No situations.", id: ["id"] },
  examples: [
    { text: "List the situations", command: "gpuctl sandbox situation list" },
    { text: "Print as JSON", command: "gpuctl sandbox situation list -o json" },
  ],
  act: ({ situations }) => situations.list(),
});
