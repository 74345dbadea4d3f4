import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { createAndCheck } from "../../command-kit/outcomes.ts";
import { columns, id } from "./views.ts";

export default defineCommand({
  path: "volumes create",
  summary: "Create a storage volume",
  operation: "createStorageVolume",
  alsoCalls: ["listStorageVolumes"],
  view: { kind: "record", columns, id },
  examples: [
    { text: "Create a 1 TB volume in us-central-1", command: sandboxExamples.volume },
    {
      text: "Create a volume and attach it to a bare-metal rental",
      command: `${sandboxExamples.volume} --rental-ids 1001`,
      after: [sandboxExamples.bareMetalRental],
    },
  ],
  run: async ({ input, ...context }) => ({
    data: await createAndCheck(
      "volume",
      () => context.call("createStorageVolume", input),
      (options) => context.call("listStorageVolumes", {}, options),
      context,
    ),
  }),
});
