import type { Description } from "../../client/description.ts";
import type { Context } from "../../command-kit/context.ts";
import { offeredOperation } from "../../command-kit/described/offered.ts";
import { resourceOperation } from "../../openapi/resources.ts";

const names = { balance: "the balance", usage: "the usage", invoices: "invoices" } as const;

/**
 * The operation that returns the balance, the usage or the invoices, as the service's description lists it. Throws
 * `NotOffered` or `NoDescription`.
 */
export const billingOperation = async (name: keyof typeof names, context: Pick<Context, "describe">) => {
  const find = (description: Description) => resourceOperation(description, name, "list");
  const { found } = await offeredOperation(`show ${names[name]}`, find, context);
  return found;
};
