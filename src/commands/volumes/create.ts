import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { createAndCheck, problemWithoutId } from "../../command-kit/outcomes.ts";
import { shownAt } from "../../core/json.ts";
import { columns, id } from "./views.ts";

const problemIn = (volume: unknown) => problemWithoutId({ id: shownAt(volume, id) });

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
      () => context.call("createStorageVolume", input, context.settings.output === "id" ? { problemIn } : {}),
      (options) => context.call("listStorageVolumes", {}, options),
      context,
    ),
  }),
});
