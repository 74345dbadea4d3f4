import type { Context } from "../../context/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { orLook } from "../shared/look.ts";
import { idOf, isRecord, recordsOf } from "../shared/records.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<InputOf<"attachStorageVolume">> = {
  run: async (input, context) => ({
    data: await context.progress("Attaching the volume", () =>
      orLook(
        () => context.call("attachStorageVolume", input),
        () => attachedNow(String(input.storageVolumeId), context),
      ),
    ),
  }),
};

/** What the listing says of a volume's rentals. */
async function attachedNow(id: string, { call }: Pick<Context, "call">): Promise<string> {
  const listed: unknown = await call("listStorageVolumes", {}).catch(() => undefined);
  const volume = recordsOf(listed).find((record) => idOf(record) === id);
  if (!isRecord(volume)) return "The volume could not be looked up either.";
  const rentals = volume.rentalIds ?? volume.attachedRentalIds;
  if (!Array.isArray(rentals)) return "The listing does not tell the volume's rentals.";
  return `The volume is attached to: ${rentals.join(", ") || "nothing"}.`;
}
