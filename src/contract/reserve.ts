import * as z from "zod";
import { commonErrors } from "./errors.ts";
import { operation } from "./operation.ts";
import { reservedRentalConversion, reservedRentalExtension } from "./records.ts";
import { dateTime, id } from "./shared.ts";

/** Fields of both reserved-term requests (service section 2.4). */
const termFields = {
  rentalId: id.describe("ID of the rental"),
  termPeriodDays: z.int().gt(0).describe("Length of the reserved term in days"),
  expectedTotalPriceCents: z.int().gt(0).describe("Total price you expect to pay, in cents"),
};

export const convertToReserved = operation({
  id: "convertToReserved",
  method: "POST",
  effect: "spend",
  path: "/v2/on-demand/convert-to-reserved",
  host: "compute",
  group: "rentals",
  summary: "Convert an on-demand rental to a reserved term",
  in: "body",
  input: z.object(termFields),
  output: reservedRentalConversion,
  errors: commonErrors,
});

export const extendReserved = operation({
  id: "extendReserved",
  method: "POST",
  effect: "spend",
  path: "/v2/on-demand/extend-reserved",
  host: "compute",
  group: "rentals",
  summary: "Extend a reserved term",
  in: "body",
  input: z.object({
    ...termFields,
    expectedReservedUntil: dateTime("When you expect the extended term to end"),
  }),
  output: reservedRentalExtension,
  errors: commonErrors,
});

export const requestReservation = operation({
  id: "requestReservation",
  method: "POST",
  effect: "write",
  path: "/v2/on-demand/request-reservation",
  host: "compute",
  group: "rentals",
  summary: "Request a large GPU reservation",
  in: "body",
  input: z.object({ gpuCount: z.number().min(1).describe("Number of GPUs") }),
  output: z
    .strictObject({ message: z.string() })
    .meta({ id: "ReservationRequested", description: "The next steps" }),
  errors: commonErrors,
});
