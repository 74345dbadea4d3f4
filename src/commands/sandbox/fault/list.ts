import { controlCommand, faultColumns } from "../control.ts";

export default controlCommand({
  path: "sandbox fault list",
  summary: "List the faults, including those used up",
  view: { kind: "list", columns: faultColumns, empty: "No faults.", id: ["id"] },
  examples: [
    { text: "List the faults", command: "gpuctl sandbox fault list" },
    { text: "Print as JSON", command: "gpuctl sandbox fault list -o json" },
  ],
  act: ({ faults }) => faults.list(),
});
