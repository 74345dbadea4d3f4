import type { Description } from "../../client/description.ts";
import type { Context } from "../../command-kit/context.ts";
import { offeredOperation } from "../../command-kit/described/offered.ts";
import { resourceOperation } from "../../openapi/resources.ts";

const names = {
  balance: { collection: /^(balances?|credits?)$/i, text: "the balance" },
  usage: { collection: /^usages?$/i, text: "the usage" },
  invoices: { collection: /^invoices$/i, text: "invoices" },
} as const;

/** The operation that shows it, as the service's description lists it. Throws `NotOffered` or `NoDescription`. */
export const billingOperation = async (name: keyof typeof names, context: Pick<Context, "describe">) => {
  const { collection, text } = names[name];
  const find = (description: Description) => resourceOperation(description, collection, "list");
  const { found } = await offeredOperation(`show ${text}`, find, context);
  return found;
};
