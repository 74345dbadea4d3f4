import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { columns, id } from "./views.ts";

export default defineCommand({
  path: "volumes list",
  summary: "List the storage volumes",
  operation: "listStorageVolumes",
  view: { kind: "list", columns, empty: "No storage volumes.", id },
  examples: examplesAfter(sandboxExamples.volume, [
    { text: "List all volumes", command: "gpuctl volumes list --sandbox" },
    { text: "Print only the IDs", command: "gpuctl volumes list -o id --sandbox" },
  ]),
  run: ({ list }) => list("listStorageVolumes", {}, { wholeIfShort: true }),
});
