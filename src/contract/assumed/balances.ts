import * as z from "zod";
import { lookupErrors } from "../errors.ts";
import { operation } from "../operation.ts";
import { nothing } from "../shared.ts";

export const getBalance = operation({
  id: "getBalance",
  method: "GET",
  path: "/v2/balances",
  host: "compute",
  group: "balances",
  assumed: true,
  summary: "Show what is left of the credit",
  in: "none",
  input: nothing,
  output: z
    .object({ currency: z.literal("usd"), creditCents: z.int(), spentCents: z.int(), balanceCents: z.int() })
    .meta({ id: "Balance", description: "Credit, what was spent of it, and what is left" }),
  errors: lookupErrors,
});
