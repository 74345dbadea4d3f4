import * as z from "zod";
import { rentalTypes } from "../enums.ts";
import { lookupErrors } from "../errors.ts";
import { operation } from "../operation.ts";
import { dateTime, nothing } from "../shared.ts";
import { pageInput, pageOf } from "./pages.ts";

const usageLine = z
  .object({
    rentalId: z.int(),
    label: z.string(),
    rentalType: z.enum(rentalTypes),
    from: dateTime("When the rental began to run").nullable(),
    until: dateTime("When it ended; null while it runs").nullable(),
    amountCents: z.int().describe("What it has cost so far"),
  })
  .meta({ id: "UsageLine", description: "What one rental has cost" });

const about = { host: "compute", group: "billing", assumed: true } as const;

export const listUsage = operation({
  ...about,
  id: "listUsage",
  method: "GET",
  path: "/v2/billing/usage",
  summary: "List what each rental has cost, a page at a time",
  in: "query",
  input: z.object(pageInput),
  output: pageOf(usageLine, "UsagePage", "usage"),
  errors: lookupErrors,
});

export const listInvoices = operation({
  ...about,
  id: "listInvoices",
  method: "GET",
  path: "/v2/billing/invoices",
  summary: "List the invoices",
  in: "none",
  input: nothing,
  output: z.array(
    z
      .object({
        id: z.string(),
        status: z.enum(["open"]),
        currency: z.literal("usd"),
        totalCents: z.int(),
        lines: z.array(usageLine),
      })
      .meta({ id: "Invoice", description: "An invoice and its lines" }),
  ),
  errors: lookupErrors,
});
