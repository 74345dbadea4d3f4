import * as z from "zod";
import { rentalTypes } from "../../contract/enums.ts";
import { lookupErrors } from "../../contract/errors.ts";
import { operation } from "../../contract/operation.ts";
import { dateTime } from "../../contract/shared.ts";
import { fieldlessRead, pageInput, pageSchema } from "./pages.ts";

const usageLine = z
  .object({
    rentalId: z.int(),
    label: z.string(),
    rentalType: z.enum(rentalTypes),
    from: dateTime("When the rental started to run").nullable(),
    until: dateTime("When the rental ended; null while it runs").nullable(),
    amountCents: z.int().describe("Cost of the rental so far"),
  })
  .meta({ id: "UsageLine", description: "The cost of one rental" });

const billingGroup = { host: "compute", group: "billing", assumed: true } as const;

export const listUsage = operation({
  ...billingGroup,
  id: "listUsage",
  method: "GET",
  path: "/v2/billing/usage",
  summary: "List the cost of each rental, one page at a time",
  in: "query",
  input: z.object(pageInput),
  output: pageSchema(usageLine, "UsagePage", "usage"),
  errors: lookupErrors,
});

export const listInvoices = operation({
  ...billingGroup,
  ...fieldlessRead,
  id: "listInvoices",
  path: "/v2/billing/invoices",
  summary: "List the invoices",
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
});

export const getBalance = operation({
  ...fieldlessRead,
  id: "getBalance",
  path: "/v2/balances",
  host: "compute",
  group: "balances",
  assumed: true,
  summary: "Show the remaining credit",
  output: z
    .object({ currency: z.literal("usd"), creditCents: z.int(), spentCents: z.int(), balanceCents: z.int() })
    .meta({ id: "Balance", description: "Credit, the amount spent, and the balance" }),
});
