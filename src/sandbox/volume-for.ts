import type { CheckedInputOf } from "../contract/index.ts";
import { stamp } from "./clock.ts";
import type { StoredRental } from "./lifecycle.ts";
import type { Queries } from "./queries.ts";
import { required } from "./refusal.ts";
import { addVolume, findVolume } from "./tables/volumes.ts";

type Wanted = NonNullable<CheckedInputOf<"createBareMetalRental">["storageVolume"]>;

/**
 * The volume that a bare-metal rental is created with: an existing one, or a new one in the rental's region.
 * @throws Refusal when there is no such volume
 */
export function volumeFor(store: Queries, userId: string, wanted: Wanted, rental: StoredRental): number {
  if (wanted.isNew) {
    const { label, sizeInGb } = wanted;
    const { region, createdAt } = rental;
    return addVolume(store, userId, { label, sizeInGb, region, createdAt: stamp(createdAt) });
  }
  return required(findVolume(store, userId, wanted.id), "storageVolume", `no volume has the id ${wanted.id}`)
    .id;
}
