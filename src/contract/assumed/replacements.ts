import * as z from "zod";
import { rentalTypes } from "../enums.ts";
import { operation } from "../operation.ts";
import { historicalRental, rentalWithStatus } from "../records.ts";
import {
  createBareMetalRental,
  createVirtualMachineRental,
  listRentalHistory,
  listVirtualMachineRentals,
  replacements,
} from "../rentals.ts";
import { pageInput, pageOf } from "./pages.ts";

const [bareMetal, virtualMachine] = rentalTypes;
const about = { host: "compute", group: "rentals", assumed: true } as const;

const bareMetalRequest = createBareMetalRental.input
  .extend({ rentalType: z.literal(bareMetal).describe("What is rented") })
  .meta({ id: "BareMetalRentalRequest", description: "Bare-metal machines to rent" });
const virtualMachineRequest = createVirtualMachineRental.input
  .extend({ rentalType: z.literal(virtualMachine).describe("What is rented") })
  .meta({ id: "VirtualMachineRentalRequest", description: "A virtual machine to rent" });

const createRental = operation({
  ...about,
  ...replacements.create,
  id: "createRental",
  summary: "Rent a virtual machine or bare-metal machines",
  in: "body",
  input: z.discriminatedUnion("rentalType", [bareMetalRequest, virtualMachineRequest]),
  output: createVirtualMachineRental.output,
  errors: createVirtualMachineRental.errors,
});

const listActiveRentals = operation({
  ...about,
  ...replacements.active,
  id: "listActiveRentals",
  summary: "List the active rentals, a page at a time",
  in: "query",
  input: listVirtualMachineRentals.input.extend({
    rentalType: z.enum(rentalTypes).optional().describe("Only rentals of this type"),
    ...pageInput,
  }),
  output: pageOf(rentalWithStatus, "ActiveRentalPage", "active rentals"),
  errors: listVirtualMachineRentals.errors,
});

const listPastRentals = operation({
  ...about,
  ...replacements.history,
  id: "listPastRentals",
  summary: "List the past rentals, a page at a time",
  in: "query",
  input: z.object(pageInput),
  output: pageOf(historicalRental, "PastRentalPage", "past rentals"),
  errors: listRentalHistory.errors,
});

/**
 * What the service names in the place of deprecated operations, without saying how a page is asked for or looks: that is
 * the sandbox's own. They are served only where that is asked for.
 */
export const replacementOperations = { createRental, listActiveRentals, listPastRentals } as const;
