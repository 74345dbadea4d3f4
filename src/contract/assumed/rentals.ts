import * as z from "zod";
import { gpuTypes, networkTypes, rentalTypes } from "../enums.ts";
import { commonErrors, lookupErrors } from "../errors.ts";
import { operation } from "../operation.ts";
import { id, nothing } from "../shared.ts";

const about = { host: "compute", group: "rentals", assumed: true } as const;

const terminate = {
  ...about,
  method: "POST",
  in: "body",
  input: z.object({ rentalId: id.describe("Id of the rental") }),
  output: z
    .object({ message: z.string(), rentalId: id })
    .meta({ id: "RentalTerminated", description: "The rental that was ended" }),
  errors: commonErrors,
} as const;

export const terminateVirtualMachineRental = operation({
  ...terminate,
  id: "terminateVirtualMachineRental",
  path: "/v2/on-demand/virtual-machine-rentals/terminate",
  summary: "End the rental of a virtual machine",
});

export const terminateBareMetalRental = operation({
  ...terminate,
  id: "terminateBareMetalRental",
  path: "/v2/on-demand/bare-metal-rentals/terminate",
  summary: "End the rental of bare-metal machines",
});

export const listRentalOptions = operation({
  ...about,
  id: "listRentalOptions",
  method: "GET",
  path: "/v2/on-demand/rental-options",
  summary: "List what can be rented, and for how much",
  in: "none",
  input: nothing,
  output: z.array(
    z
      .object({
        machineType: z.enum(rentalTypes),
        gpuType: z.enum(gpuTypes),
        gpuCount: z.int(),
        region: z.string(),
        connectionType: z.enum(networkTypes),
        costPerHourCents: z.int().describe("Price of the whole option for an hour"),
        totalAvailable: z.int().optional().describe("How many there are; not known when left out"),
      })
      .meta({ id: "RentalOption", description: "Something that can be rented" }),
  ),
  errors: lookupErrors,
});
