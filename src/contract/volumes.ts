import * as z from "zod";
import { volumeRegions } from "./enums.ts";
import { commonErrors, lookupErrors } from "./errors.ts";
import { operation } from "./operation.ts";
import { attachStorageVolumeResponse, createdStorageVolume, storageVolume } from "./records.ts";
import { id, nothing, volumeLabel, volumeSize } from "./shared.ts";

export const createStorageVolume = operation({
  id: "createStorageVolume",
  method: "POST",
  effect: "write",
  path: "/v2/on-demand/storage-volumes",
  host: "compute",
  group: "storage-volumes",
  summary: "Create a storage volume",
  in: "body",
  input: z.object({
    region: z.enum(volumeRegions).describe("Region of the volume"),
    label: volumeLabel,
    sizeInGb: volumeSize.multipleOf(256),
    rentalIds: z.array(id).optional().describe("Rentals to attach the volume to"),
  }),
  output: createdStorageVolume,
  errors: commonErrors,
});

export const listStorageVolumes = operation({
  id: "listStorageVolumes",
  method: "GET",
  path: "/v2/on-demand/storage-volumes",
  host: "compute",
  group: "storage-volumes",
  summary: "List the storage volumes",
  in: "none",
  input: nothing,
  output: z.array(storageVolume),
  errors: lookupErrors,
});

export const attachStorageVolume = operation({
  id: "attachStorageVolume",
  method: "POST",
  effect: "write",
  path: "/v2/on-demand/storage-volumes/attach",
  host: "compute",
  group: "storage-volumes",
  summary: "Attach a storage volume to bare-metal rentals",
  in: "body",
  input: z.object({
    storageVolumeId: id.describe("ID of the volume"),
    rentalIds: z.array(id).min(1).describe("Bare-metal rentals to attach the volume to"),
  }),
  output: attachStorageVolumeResponse,
  errors: commonErrors,
});
