import * as z from "zod";
import { gpuTypes, networkTypes, rentalTypes } from "../../contract/enums.ts";
import { commonErrors } from "../../contract/errors.ts";
import { operation } from "../../contract/operation.ts";
import { id } from "../../contract/shared.ts";
import { fieldlessRead } from "./pages.ts";

export const rentalsGroup = { host: "compute", group: "rentals", assumed: true } as const;

const terminate = {
  ...rentalsGroup,
  method: "POST",
  in: "body",
  input: z.object({ rentalId: id.describe("ID of the rental") }),
  output: z
    .object({ message: z.string(), rentalId: id })
    .meta({ id: "RentalTerminated", description: "The terminated rental" }),
  errors: commonErrors,
} as const;

export const terminateVirtualMachineRental = operation({
  ...terminate,
  id: "terminateVirtualMachineRental",
  path: "/v2/on-demand/virtual-machine-rentals/terminate",
  summary: "Terminate a virtual-machine rental",
});

export const terminateBareMetalRental = operation({
  ...terminate,
  id: "terminateBareMetalRental",
  path: "/v2/on-demand/bare-metal-rentals/terminate",
  summary: "Terminate a bare-metal rental",
});

export const listRentalOptions = operation({
  ...rentalsGroup,
  ...fieldlessRead,
  id: "listRentalOptions",
  path: "/v2/on-demand/rental-options",
  summary: "List the available rental options and their prices",
  output: z.array(
    z
      .object({
        machineType: z.enum(rentalTypes),
        gpuType: z.enum(gpuTypes),
        gpuCount: z.int(),
        region: z.string(),
        connectionType: z.enum(networkTypes),
        costPerHourCents: z.int().describe("Hourly price of the whole option"),
        totalAvailable: z.int().optional().describe("Number available, if known"),
      })
      .meta({ id: "RentalOption", description: "A rental option" }),
  ),
});

const model = z
  .object({ id: z.string(), object: z.literal("model"), created: z.int(), owned_by: z.string() })
  .meta({ id: "ChatModel", description: "A chat model" });

export const listChatModels = operation({
  ...fieldlessRead,
  id: "listChatModels",
  path: "/v1/models",
  host: "inference",
  group: "inference",
  assumed: true,
  summary: "List the chat models",
  output: z
    .object({ object: z.literal("list"), data: z.array(model) })
    .meta({ id: "ChatModels", description: "The chat models" }),
});
