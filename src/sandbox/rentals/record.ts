import * as z from "zod";
import { createBareMetalRental, createVirtualMachineRental } from "../../contract/rentals.ts";
import { stamp } from "../clock.ts";
import type { Queries } from "../store/queries.ts";
import type { NumberedRental } from "../tables/rentals.ts";
import { attachedVolumes } from "../tables/volumes.ts";
import { rentalAt, type StoredRental } from "./lifecycle.ts";

const labelPrefix = { "virtual-machine": "vm", "bare-metal": "bm" } as const;

/** For each field that a rental can be created with: the value that its record has when the field was omitted. */
const absentFields: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries({ ...createBareMetalRental.input.shape, ...createVirtualMachineRental.input.shape }).map(
    ([name, schema]) => [name, absentValue(schema)],
  ),
);

function absentValue(schema: z.core.$ZodType): false | null | [] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (inner instanceof z.ZodBoolean) return false;
  return inner instanceof z.ZodArray ? [] : null;
}

const stampOrNull = (ms: number | null): string | null => (ms === null ? null : stamp(ms));

/** A rental as the service returns it, at a moment. It has every field of the contract's create operations. */
export function rentalRecord(store: Queries, { id, rental }: NumberedRental, now: number) {
  const {
    sshPublicKeyId,
    sshPublicKeyIds = [],
    storageVolume: _,
    terms,
    boot: __,
    ...input
  } = { storageVolume: undefined, boot: undefined, ...absentFields, ...rental };
  const { startedAt, terminatedAt, reservedUntil, ...current } = rentalAt(rental, now);
  return {
    id,
    ...input,
    label: input.label || `${labelPrefix[input.rentalType]}-${id}`,
    ...current,
    currentTerm: { termType: current.termType, costPerHourCents: current.costPerHourCents },
    reservedUntil: stampOrNull(reservedUntil),
    sshPublicKeyIds: [...new Set([sshPublicKeyId ?? [], sshPublicKeyIds].flat())],
    storageVolumeIds: attachedVolumes(store, id),
    createdAt: stamp(rental.createdAt),
    startedAt: stampOrNull(startedAt),
    terminatedAt: stampOrNull(terminatedAt),
    // Addresses exist only while the machines run.
    providerData: current.status === "Running" ? { sshNetworking: sshNetworking(id, rental) } : null,
  };
}

/** The networks that RFC 5737 reserves for documentation, where nothing responds. */
export const documentationNetworks = ["192.0.2", "198.51.100", "203.0.113"] as const;
const hostsPerNetwork = 254;

export const gpusPerMachine = 8;

/** One address for each machine of a rental. */
function sshNetworking(id: number, { rentalType, gpuCount }: StoredRental) {
  const machines = rentalType === "bare-metal" ? gpuCount / gpusPerMachine : 1;
  return Array.from({ length: machines }, (_, index) => ({
    host: host(id + index),
    port: 22,
    user: "ubuntu",
  }));
}

function host(number: number): string {
  const network = documentationNetworks[Math.floor(number / hostsPerNetwork) % documentationNetworks.length];
  return `${network}.${(number % hostsPerNetwork) + 1}`;
}
