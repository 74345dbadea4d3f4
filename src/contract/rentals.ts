import * as z from "zod";
import {
  bareMetalRegions,
  cudaVersions,
  gpuTypes,
  networkTypes,
  rentalTypes,
  termTypes,
  virtualMachineRegions,
} from "./enums.ts";
import { commonErrors, lookupErrors } from "./errors.ts";
import { operation } from "./operation.ts";
import {
  activeRentalLookup,
  activeRentalSummary,
  historicalRental,
  rental,
  rentalWithStatus,
  terminatedRentalLookup,
} from "./records.ts";
import { id, nothing, volumeLabel, volumeSize } from "./shared.ts";

const [bareMetal, virtualMachine] = rentalTypes;

/** Replacements of the deprecated operations (service section 4.2). */
export const replacements = {
  create: { method: "POST", path: "/v2/on-demand/rentals" },
  active: { method: "GET", path: "/v2/on-demand/rentals/active" },
  history: { method: "GET", path: "/v2/on-demand/rentals/history" },
} as const;

/** Fields of both types of rental (service section 2.2). */
const commonFields = {
  gpuType: z.enum(gpuTypes).default("h100").describe("GPU model"),
  label: z.string().optional().describe("Name of the rental"),
  termType: z.enum(termTypes).default("on-demand").describe("How the rental is billed"),
  termPeriodDays: z.number().optional().describe("Length of a reserved term in days"),
  discountPercentage: z.number().default(0).describe("Discount on the price, in percent"),
  monitoringEnabled: z.boolean().optional().describe("Collect metrics"),
  convertToOnDemandOnExpiry: z
    .boolean()
    .default(true)
    .describe("Continue on demand when the reserved term ends"),
  sshPublicKeyId: z.int().optional().describe("SSH public key to install"),
  sshPublicKeyIds: z.array(z.int()).min(1).optional().describe("SSH public keys to install"),
};

const existingVolume = z
  .object({ isNew: z.literal(false), id })
  .meta({ id: "ExistingStorageVolume", description: "An existing volume" });
const newVolume = z
  .object({ isNew: z.literal(true), label: volumeLabel, sizeInGb: volumeSize })
  .meta({ id: "NewStorageVolume", description: "A volume to create with the rental" });

const bareMetalInput = z.object({
  networkType: z.enum(networkTypes).describe("Network between the machines"),
  gpuCount: z.number().min(1).multipleOf(8).describe("Number of GPUs, 8 per machine"),
  region: z.enum(bareMetalRegions).default("us-central-1").describe("Region of the machines"),
  ...commonFields,
  cudaVersion: z.enum(cudaVersions).optional().describe("CUDA version to install"),
  storageVolume: z
    .discriminatedUnion("isNew", [existingVolume, newVolume])
    .optional()
    .describe("Storage volume to attach"),
});

const virtualMachineInput = z.object({
  gpuCount: z.number().describe("Number of GPUs"),
  networkType: z.enum(networkTypes).default("ethernet").describe("Network of the machine"),
  region: z.enum(virtualMachineRegions).default("us-central-1").describe("Region of the machine"),
  ...commonFields,
  customPorts: z
    .array(z.int().min(1).max(65535))
    .max(20)
    .optional()
    .describe("Ports to open in addition to SSH"),
});

export const createBareMetalRental = operation({
  id: "createBareMetalRental",
  method: "POST",
  effect: "spend",
  path: "/v2/on-demand/bare-metal-rentals",
  host: "compute",
  group: "bare-metal-rentals",
  summary: "Rent bare-metal machines",
  in: "body",
  input: bareMetalInput,
  output: rental,
  errors: commonErrors,
  deprecated: true,
  replacedBy: { ...replacements.create, with: { rentalType: bareMetal } },
});

export const listBareMetalRentals = operation({
  id: "listBareMetalRentals",
  method: "GET",
  path: "/v2/on-demand/bare-metal-rentals",
  host: "compute",
  group: "bare-metal-rentals",
  summary: "List all active bare-metal rentals",
  in: "none",
  input: nothing,
  output: z.array(rentalWithStatus),
  errors: lookupErrors,
  deprecated: true,
  replacedBy: { ...replacements.active, with: { rentalType: bareMetal }, paged: true },
});

export const createVirtualMachineRental = operation({
  id: "createVirtualMachineRental",
  method: "POST",
  effect: "spend",
  path: "/v2/on-demand/virtual-machine-rentals",
  host: "compute",
  group: "virtual-machine-rentals",
  summary: "Rent a virtual machine",
  in: "body",
  input: virtualMachineInput,
  output: rental,
  errors: commonErrors,
  deprecated: true,
  replacedBy: { ...replacements.create, with: { rentalType: virtualMachine } },
});

export const listVirtualMachineRentals = operation({
  id: "listVirtualMachineRentals",
  method: "GET",
  path: "/v2/on-demand/virtual-machine-rentals",
  host: "compute",
  group: "virtual-machine-rentals",
  summary: "List all active virtual-machine rentals",
  in: "query",
  input: z.object({
    includeClusterPools: z.boolean().optional().describe("Include rentals in cluster pools"),
  }),
  output: z.array(rentalWithStatus),
  errors: lookupErrors,
  deprecated: true,
  replacedBy: { ...replacements.active, with: { rentalType: virtualMachine }, paged: true },
});

export const getActiveRentalSummary = operation({
  id: "getActiveRentalSummary",
  method: "GET",
  path: "/v2/on-demand/active-rental-summary",
  host: "compute",
  group: "rentals",
  summary: "Count the active rentals and sum their hourly cost",
  in: "none",
  input: nothing,
  output: activeRentalSummary,
  errors: lookupErrors,
});

export const getRental = operation({
  id: "getRental",
  method: "GET",
  path: "/v2/on-demand/rental",
  host: "compute",
  group: "rentals",
  summary: "Get a rental, active or terminated",
  in: "query",
  input: z.object({ rentalId: z.string().min(1).describe("ID of the rental") }),
  output: z
    .discriminatedUnion("state", [activeRentalLookup, terminatedRentalLookup])
    .nullable()
    .describe("The rental, or null if the caller has no rental with this ID"),
  errors: lookupErrors,
});

export const listRentalHistory = operation({
  id: "listRentalHistory",
  method: "GET",
  path: "/v2/on-demand/rental-history",
  host: "compute",
  group: "rentals",
  summary: "List all past rentals",
  in: "none",
  input: nothing,
  output: z.array(historicalRental),
  errors: lookupErrors,
  deprecated: true,
  replacedBy: { ...replacements.history, paged: true },
});
