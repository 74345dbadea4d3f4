import { stamp } from "./clock.ts";
import { type RentalNow, rentalAt } from "./lifecycle.ts";
import type { Queries } from "./queries.ts";
import { sshNetworking } from "./ssh-networking.ts";
import type { NumberedRental } from "./tables/rentals.ts";
import { attachedVolumes } from "./tables/volumes.ts";

const labelPrefix = { "virtual-machine": "vm", "bare-metal": "bm" } as const;

const stampOrNull = (ms: number | null): string | null => (ms === null ? null : stamp(ms));

/** A rental as the service sends it, at a moment; money in cents. */
export function rentalRecord(store: Queries, numbered: NumberedRental, now: number) {
  const { id, rental } = numbered;
  const { startedAt, terminatedAt, reservedUntil, ...rest } = rentalAt(rental, now);
  return {
    id,
    rentalType: rental.rentalType,
    label: rental.label || `${labelPrefix[rental.rentalType]}-${id}`,
    gpuCount: rental.gpuCount,
    gpuType: rental.gpuType,
    region: rental.region,
    networkType: rental.networkType,
    ...rest,
    currentTerm: { termType: rest.termType, costPerHourCents: rest.costPerHourCents },
    reservedUntil: stampOrNull(reservedUntil),
    convertToOnDemandOnExpiry: rental.convertToOnDemandOnExpiry,
    discountPercentage: rental.discountPercentage,
    cudaVersion: rental.cudaVersion ?? null,
    customPorts: rental.customPorts ?? [],
    monitoringEnabled: rental.monitoringEnabled,
    sshPublicKeyIds: rental.sshPublicKeyIds,
    storageVolumeIds: attachedVolumes(store, id),
    createdAt: stamp(rental.createdAt),
    startedAt: stampOrNull(startedAt),
    terminatedAt: stampOrNull(terminatedAt),
    providerData: providerData(numbered, rest.status),
  };
}

/** Addresses are known while the machines run, and only then. */
const providerData = ({ id, rental }: NumberedRental, status: RentalNow["status"]) =>
  status === "Running" ? { sshNetworking: sshNetworking(id, rental) } : null;
