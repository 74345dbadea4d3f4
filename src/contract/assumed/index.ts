import type * as z from "zod";
import { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { getBalance } from "./balances.ts";
import { listInvoices, listUsage } from "./billing.ts";
import { listChatModels } from "./models.ts";
import { listRentalOptions, terminateBareMetalRental, terminateVirtualMachineRental } from "./rentals.ts";
import { createSshKey, deleteSshKey, listSshKeys } from "./ssh-keys.ts";

/**
 * Operations of groups that the service only names. Their shapes are the sandbox's own: no command has flags of them,
 * and a service is asked for them only by what its description says.
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
