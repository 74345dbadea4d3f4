import * as z from "zod";
import { createBareMetalRental, createVirtualMachineRental } from "../../contract/rentals.ts";
import { stamp } from "../clock.ts";
import type { Queries } from "../store/queries.ts";
import type { NumberedRental } from "../tables/rentals.ts";
import { attachedVolumes } from "../tables/volumes.ts";
import { rentalAt, type SshAddress, type StoredRental } from "./lifecycle.ts";

const labelPrefix = { "virtual-machine": "vm", "bare-metal": "bm" } as const;

/** For each field of the create operations, the value that a rental's record has if the request omitted the field. */
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

/**
 * Fields of a stored rental that its record does not have. They are undefined, so JSON omits them, which is much faster
 * than removing them here.
 */
const hiddenFields = {
  sshPublicKeyId: undefined,
  storageVolume: undefined,
  terms: undefined,
  boot: undefined,
  failsAt: undefined,
  sshPublicKeys: undefined,
  sshNetworking: undefined,
};

const stampOrNull = (ms: number | null): string | null => (ms === null ? null : stamp(ms));

/** The addresses at which the running machines of a rental listen; undefined if none of its machines runs. */
export type AddressesOf = (rentalId: number) => readonly SshAddress[] | undefined;

/** The records of rentals, as the service returns them at `now`. `rentals` must be sorted by id. */
export function rentalRecords(
  { store, addressesOf }: { readonly store: Queries; readonly addressesOf: AddressesOf },
  rentals: readonly NumberedRental[],
  now: number,
) {
  const volumesOf = attachedVolumes(store, rentals);
  return rentals.map((one) => rentalRecord(one, { storageVolumeIds: volumesOf(one.id), addressesOf, now }));
}

/** A rental as the service returns it, with the fields of the contract's create operations except `hiddenFields`. */
export function rentalRecord(
  { id, rental }: NumberedRental,
  {
    storageVolumeIds,
    addressesOf,
    now,
  }: { readonly storageVolumeIds: number[]; readonly addressesOf: AddressesOf; readonly now: number },
) {
  const { sshPublicKeyId, sshPublicKeyIds = [], sshNetworking, label, rentalType } = rental;
  const { startedAt, terminatedAt, reservedUntil, ...current } = rentalAt(rental, now);
  return {
    id,
    ...absentFields,
    ...rental,
    label: label || `${labelPrefix[rentalType]}-${id}`,
    ...current,
    currentTerm: { termType: current.termType, costPerHourCents: current.costPerHourCents },
    reservedUntil: stampOrNull(reservedUntil),
    sshPublicKeyIds: [...new Set([sshPublicKeyId ?? [], sshPublicKeyIds].flat())],
    storageVolumeIds,
    createdAt: stamp(rental.createdAt),
    startedAt: stampOrNull(startedAt),
    terminatedAt: stampOrNull(terminatedAt),
    // A rental has addresses only while it is Running.
    providerData:
      current.status === "Running"
        ? { sshNetworking: [...(sshNetworking ?? addressesOf(id) ?? assumedAddresses(id, rental))] }
        : null,
    ...hiddenFields,
  };
}

/** The networks that RFC 5737 reserves for documentation, where nothing responds. */
export const documentationNetworks = ["192.0.2", "198.51.100", "203.0.113"] as const;
const hostsPerNetwork = 254;

export const gpusPerMachine = 8;

export const assumedUser = "ubuntu";
export const assumedPort = 22;

/** The number of machines that a rental consists of, whether or not the sandbox runs them. */
export const nodeCount = ({ rentalType, gpuCount }: StoredRental): number =>
  rentalType === "bare-metal" ? gpuCount / gpusPerMachine : 1;

/** One address in `documentationNetworks` for each machine of a rental. */
const assumedAddresses = (id: number, rental: StoredRental): readonly SshAddress[] =>
  Array.from({ length: nodeCount(rental) }, (_, index) => ({
    host: host(id + index),
    port: assumedPort,
    user: assumedUser,
  }));

function host(number: number): string {
  const network = documentationNetworks[Math.floor(number / hostsPerNetwork) % documentationNetworks.length];
  return `${network}.${(number % hostsPerNetwork) + 1}`;
}
