import type * as z from "zod";
import { operations } from "../../contract/index.ts";
import { getBalance, listInvoices, listUsage } from "./billing.ts";
import { createApiKey, createSshKey, deleteSshKey, listApiKeys, listSshKeys, revokeApiKey } from "./keys.ts";
import {
  listChatModels,
  listRentalOptions,
  terminateBareMetalRental,
  terminateVirtualMachineRental,
} from "./rentals.ts";
import { replacementOperations } from "./replacements.ts";

/**
 * Operations that the service does not document: it names only the groups that they belong to. Their inputs and outputs
 * are the sandbox's own assumptions. On any service other than a sandbox, gpuctl calls these operations only as that
 * service's OpenAPI description defines them.
 */
export const assumedOperations = {
  terminateVirtualMachineRental,
  terminateBareMetalRental,
  listRentalOptions,
  listChatModels,
  listUsage,
  listInvoices,
  getBalance,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  listSshKeys,
  createSshKey,
  deleteSshKey,
} as const;

export type AssumedOperations = typeof assumedOperations;
export type AssumedId = keyof AssumedOperations;
export type AssumedOutputOf<Id extends AssumedId> = z.output<AssumedOperations[Id]["output"]>;

/** Every operation that a sandbox can serve: documented, assumed, and replacements of deprecated ones. */
export const servedOperations = { ...operations, ...assumedOperations, ...replacementOperations } as const;

export type ServedOperations = typeof servedOperations;
export type ServedId = keyof ServedOperations;
/** The checked input, with defaults filled in. */
export type ServedInputOf<Id extends ServedId> = z.output<ServedOperations[Id]["input"]>;
export type ServedOutputOf<Id extends ServedId> = z.output<ServedOperations[Id]["output"]>;
