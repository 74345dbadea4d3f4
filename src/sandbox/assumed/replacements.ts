import * as z from "zod";
import { rentalTypes } from "../../contract/enums.ts";
import { operation } from "../../contract/operation.ts";
import { historicalRental, rentalWithStatus } from "../../contract/records.ts";
import {
  createBareMetalRental,
  createVirtualMachineRental,
  listRentalHistory,
  listVirtualMachineRentals,
  replacements,
} from "../../contract/rentals.ts";
import { pageInput, pageSchema } from "./pages.ts";
import { rentalsGroup } from "./rentals.ts";

const [bareMetal, virtualMachine] = rentalTypes;

const bareMetalRequest = createBareMetalRental.input
  .extend({ rentalType: z.literal(bareMetal).describe("Type of the rental") })
  .meta({ id: "BareMetalRentalRequest", description: "Bare-metal machines to rent" });
const virtualMachineRequest = createVirtualMachineRental.input
  .extend({ rentalType: z.literal(virtualMachine).describe("Type of the rental") })
  .meta({ id: "VirtualMachineRentalRequest", description: "A virtual machine to rent" });

const createRental = operation({
  ...rentalsGroup,
  ...replacements.create,
  id: "createRental",
  summary: "Rent a virtual machine or bare-metal machines",
  in: "body",
  input: z.discriminatedUnion("rentalType", [bareMetalRequest, virtualMachineRequest]),
  output: createVirtualMachineRental.output,
  errors: createVirtualMachineRental.errors,
});

const listActiveRentals = operation({
  ...rentalsGroup,
  ...replacements.active,
  id: "listActiveRentals",
  summary: "List the active rentals, one page at a time",
  in: "query",
  input: listVirtualMachineRentals.input.extend({
    rentalType: z.enum(rentalTypes).optional().describe("Only rentals of this type"),
    ...pageInput,
  }),
  output: pageSchema(rentalWithStatus, "ActiveRentalPage", "active rentals"),
  errors: listVirtualMachineRentals.errors,
});

const listPastRentals = operation({
  ...rentalsGroup,
  ...replacements.history,
  id: "listPastRentals",
  summary: "List the past rentals, one page at a time",
  in: "query",
  input: z.object(pageInput),
  output: pageSchema(historicalRental, "PastRentalPage", "past rentals"),
  errors: listRentalHistory.errors,
});

/**
 * The replacements that the service names for deprecated operations. The page parameters and pages of the lists are the
 * sandbox's own assumptions.
 */
export const replacementOperations = { createRental, listActiveRentals, listPastRentals } as const;
