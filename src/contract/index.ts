import type * as z from "zod";
import { generateAudio } from "./audio.ts";
import { createChatCompletion } from "./chat.ts";
import { getOpenApiDocument } from "./description.ts";
import { generateImage } from "./images.ts";
import {
  createBareMetalRental,
  createVirtualMachineRental,
  getActiveRentalSummary,
  getRental,
  listBareMetalRentals,
  listRentalHistory,
  listVirtualMachineRentals,
} from "./rentals.ts";
import { convertToReserved, extendReserved, requestReservation } from "./reserve.ts";
import {
  deleteCurrentUser,
  deleteCurrentUserLegacy,
  updateCurrentUser,
  updateCurrentUserLegacy,
} from "./user.ts";
import { attachStorageVolume, createStorageVolume, listStorageVolumes } from "./volumes.ts";

/** Every operation of the service (service section 4), by its id. */
export const operations = {
  getOpenApiDocument,
  createBareMetalRental,
  listBareMetalRentals,
  createVirtualMachineRental,
  listVirtualMachineRentals,
  convertToReserved,
  extendReserved,
  requestReservation,
  getActiveRentalSummary,
  getRental,
  listRentalHistory,
  createStorageVolume,
  listStorageVolumes,
  attachStorageVolume,
  updateCurrentUser,
  deleteCurrentUser,
  updateCurrentUserLegacy,
  deleteCurrentUserLegacy,
  createChatCompletion,
  generateImage,
  generateAudio,
} as const;

export type Operations = typeof operations;
export type OperationId = keyof Operations;

/** The input that a caller passes; fields with defaults are optional. */
export type InputOf<Id extends OperationId> = z.input<Operations[Id]["input"]>;
/** The input that a handler receives: validated, with defaults. */
export type CheckedInputOf<Id extends OperationId> = z.output<Operations[Id]["input"]>;
export type OutputOf<Id extends OperationId> = z.output<Operations[Id]["output"]>;
/** The effect of an operation on the account. */
export type EffectOf<Id extends OperationId> = NonNullable<Operations[Id]["effect"]>;
