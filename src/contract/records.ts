import * as z from "zod";
import { rentalStates } from "./enums.ts";
import { id } from "./shared.ts";

/**
 * Records that the service names but does not document (service section 2.6). The fields are those that services of
 * this kind send. All fields are optional and nullable, except the `state` of a lookup. Unknown fields pass through.
 */
const text = z.string().nullish();
const number = z.number().nullish();

const rentalFields = {
  id: id.nullish(),
  state: text,
  status: text,
  label: text,
  rentalType: text,
  gpuCount: number,
  gpuType: text,
  region: text,
  networkType: text,
  termType: text,
  termPeriodDays: number,
  reservedUntil: text,
  convertToOnDemandOnExpiry: z.boolean().nullish(),
  costPerHourCents: number,
  createdAt: text,
  startedAt: text,
  terminatedAt: text,
  currentTerm: z.looseObject({ termType: text, costPerHourCents: number }).nullish(),
  providerData: z
    .looseObject({
      sshNetworking: z.array(z.looseObject({ host: text, port: number, user: text })).nullish(),
      nodeNetworking: z.array(z.looseObject({ publicIp: text })).nullish(),
    })
    .nullish(),
};

const volumeFields = {
  id: id.nullish(),
  label: text,
  sizeInGb: number,
  region: text,
  rentalIds: z.array(id).nullish(),
  createdAt: text,
};

const record = <Shape extends z.ZodRawShape>(name: string, description: string, shape: Shape) =>
  z.looseObject(shape).meta({ id: name, description });

export const rental = record("Rental", "A newly created rental", rentalFields);
export const rentalWithStatus = record("RentalWithStatus", "An active rental and its status", rentalFields);
export const historicalRental = record("HistoricalRental", "A past rental", rentalFields);

const [active, terminated] = rentalStates;
export const activeRentalLookup = record("ActiveRentalLookup", "An active rental", {
  ...rentalFields,
  state: z.literal(active),
});
export const terminatedRentalLookup = record("TerminatedRentalLookup", "A terminated rental", {
  ...rentalFields,
  state: z.literal(terminated),
});

const countAndCost = z.looseObject({ count: number, costPerHourCents: number });
export const activeRentalSummary = record(
  "ActiveRentalSummary",
  "Number and hourly cost in cents of the caller's active rentals, in total and by term type",
  {
    count: number,
    costPerHourCents: number,
    byTermType: z.record(z.string(), countAndCost).nullish(),
  },
);

export const storageVolume = record("StorageVolume", "A storage volume", volumeFields);
export const createdStorageVolume = record(
  "CreatedStorageVolume",
  "A newly created storage volume",
  volumeFields,
);
export const attachStorageVolumeResponse = record(
  "AttachStorageVolumeResponse",
  "A volume and the rentals it is attached to",
  { storageVolumeId: id.nullish(), rentalIds: z.array(id).nullish() },
);

const reservedTerm = {
  rentalId: id.nullish(),
  termType: text,
  termPeriodDays: number,
  totalPriceCents: number,
  reservedUntil: text,
};
export const reservedRentalConversion = record(
  "ReservedRentalConversion",
  "The reserved term of a converted rental",
  reservedTerm,
);
export const reservedRentalExtension = record(
  "ReservedRentalExtension",
  "An extended reserved term",
  reservedTerm,
);
