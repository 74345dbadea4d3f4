import { arg } from "../../command-kit/arg.ts";
import type { Context } from "../../command-kit/context.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { writeAndCheck } from "../../command-kit/outcomes.ts";
import { isRecord, recordsOf } from "../../command-kit/responses.ts";
import { idOf } from "../../core/responses/rental.ts";
import { plainText } from "../../output/text.ts";
import { id } from "./views.ts";

export default defineCommand({
  path: "volumes attach",
  summary: "Attach a storage volume to bare-metal rentals",
  operation: "attachStorageVolume",
  alsoCalls: ["listStorageVolumes"],
  args: [
    arg.field("VOLUME", "ID or label of the volume", "storageVolumeId", {
      required: true,
      completes: "volume",
    }),
    arg.field("RENTAL", "IDs or labels of bare-metal rentals", "rentalIds", {
      required: true,
      completes: "rental",
      offersOnly: {
        column: "TYPE",
        text: "bare-metal",
        otherwise: "`gpuctl rentals create bare-metal` creates one.",
      },
      variadic: true,
    }),
  ],
  fieldsWithoutFlag: ["storageVolumeId", "rentalIds"],
  view: { kind: "record", id },
  examples: [
    {
      text: "Attach a volume to one rental",
      command: "gpuctl volumes attach 501 1001 --sandbox",
      after: [sandboxExamples.volume, sandboxExamples.bareMetalRental],
    },
    {
      text: "Attach a volume to two rentals",
      command: "gpuctl volumes attach 501 1001 1002 --sandbox",
      after: [sandboxExamples.volume, sandboxExamples.bareMetalRental, sandboxExamples.bareMetalRental],
    },
  ],
  run: async ({ input, ...context }) => ({
    data: await context.progress("Attaching the volume", () =>
      writeAndCheck(
        () => context.call("attachStorageVolume", input),
        "`gpuctl volumes list` shows what the volume is attached to.",
        () => attachedNow(String(input.storageVolumeId), context),
      ),
    ),
  }),
});

/** Says which rentals a volume is attached to, according to the listing. */
async function attachedNow(id: string, { call }: Pick<Context, "call">): Promise<string> {
  const listed: unknown = await call("listStorageVolumes", {}).catch(() => undefined);
  if (listed === undefined) return "The volumes could not be listed.";
  const volume = recordsOf(listed).find((record) => idOf(record) === id);
  if (!isRecord(volume)) return `Volume ${id} is not in the list of volumes.`;
  const rentals = volume.rentalIds ?? volume.attachedRentalIds;
  if (!Array.isArray(rentals)) return "The listing does not show the volume's rentals.";
  return `The volume is attached to: ${rentals.map(plainText).join(", ") || "nothing"}.`;
}
