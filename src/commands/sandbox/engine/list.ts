import { controlCommand, engineColumns } from "../control.ts";

const after = ["gpuctl sandbox engine set chat http://127.0.0.1:11434"];

export default controlCommand({
  path: "sandbox engine list",
  summary: "List the engines, and the request fields that each ignores",
  view: {
    kind: "list",
    columns: engineColumns,
    empty: "No engines: the sandbox generates everything.",
    id: ["kind"],
  },
  examples: [
    { text: "List the engines", command: "gpuctl sandbox engine list", after },
    { text: "Print as JSON", command: "gpuctl sandbox engine list -o json", after },
  ],
  act: ({ engines }) => engines.list(),
});
