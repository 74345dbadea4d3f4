import type { Id } from "../../contract/shared.ts";
import { stamp } from "../clock.ts";
import { issue, required, throwIfInvalid } from "../errors.ts";
import { rentalAt } from "../rentals/lifecycle.ts";
import { regionIssues } from "../situations/capacity.ts";
import { findRental } from "../tables/rentals.ts";
import {
  addVolume,
  attach,
  attachedRentals,
  findVolume,
  listVolumes,
  type NumberedVolume,
} from "../tables/volumes.ts";
import type { Call, Handlers } from "./handler.ts";

/** Volumes as the service returns them. `volumes` must be sorted by id. */
function records(volumes: readonly NumberedVolume[], { store, now }: Call) {
  const rentalsOf = attachedRentals(store, volumes, now);
  return volumes.map((volume) => ({ ...volume, rentalIds: rentalsOf(volume.id) }));
}

/**
 * Returns the ids of the rentals to attach a volume to. All must be active bare-metal rentals (service section 4.3).
 * @throws ApiError if an id is not that of such a rental, or if a situation limits volumes to their region and a rental
 * is in another region
 */
export function attachable(
  ids: readonly Id[],
  volumeRegion: string,
  { store, userId, now }: Pick<Call, "store" | "userId" | "now">,
): number[] {
  const distinct = [...new Set(ids.map(String))];
  const found = distinct.map((id) => ({ id, known: findRental(store, userId, id) }));
  throwIfInvalid(
    ...found.flatMap(({ id, known }) => {
      if (!known || rentalAt(known.rental, now).status === "Terminated") {
        return [issue("rentalIds", `no active rental has the id ${id}`)];
      }
      const { rentalType } = known.rental;
      return rentalType === "bare-metal"
        ? []
        : [
            issue(
              "rentalIds",
              `rental ${id} is a ${rentalType} rental; volumes attach only to bare-metal rentals`,
            ),
          ];
    }),
  );
  const rentals = found.flatMap(({ known }) =>
    known ? [{ id: known.id, region: known.rental.region }] : [],
  );
  throwIfInvalid(...regionIssues(store, volumeRegion, "rentalIds", rentals));
  return rentals.map(({ id }) => id);
}

export const volumes = {
  createStorageVolume: ({ rentalIds = [], ...volume }, call) =>
    call.store.write(() => {
      const attachTo = attachable(rentalIds, volume.region, call);
      const stored = { ...volume, createdAt: stamp(call.now) };
      const id = addVolume(call.store, call.userId, stored);
      attach(call.store, id, attachTo);
      return { id, ...stored, rentalIds: attachedRentals(call.store, [{ id }], call.now)(id) };
    }),

  listStorageVolumes: (_input, call) => records(listVolumes(call.store, call.userId), call),

  attachStorageVolume: ({ storageVolumeId, rentalIds }, call) =>
    call.store.write(() => {
      const unknown = `no volume has the id ${storageVolumeId}`;
      const found = findVolume(call.store, call.userId, storageVolumeId);
      const { id, region } = required(found, "storageVolumeId", unknown);
      attach(call.store, id, attachable(rentalIds, region, call));
      return { storageVolumeId: id, rentalIds: attachedRentals(call.store, [{ id }], call.now)(id) };
    }),
} satisfies Partial<Handlers>;
