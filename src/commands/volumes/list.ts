import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { columns, id } from "./views.ts";

export default defineCommand({
  path: "volumes list",
  summary: "List the storage volumes",
  operation: "listStorageVolumes",
  view: { kind: "list", columns, empty: "No storage volumes.", id },
  examples: [
    { text: "List all volumes", command: "gpuctl volumes list --sandbox", after: [sandboxExamples.volume] },
    {
      text: "Print only the ids",
      command: "gpuctl volumes list -o id --sandbox",
      after: [sandboxExamples.volume],
    },
  ],
  run: async ({ input, call }) => ({ data: await call("listStorageVolumes", input) }),
});
