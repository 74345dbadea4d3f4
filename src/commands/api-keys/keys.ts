import { listDescribed } from "../../client/call.ts";
import type { Context } from "../../command-kit/context.ts";
import { keyNamePaths } from "../../command-kit/described/keys.ts";
import { offeredOperation } from "../../command-kit/described/offered.ts";
import type { Column } from "../../core/view.ts";
import { type ResourceAction, resourceOperation } from "../../openapi/resources.ts";

/** The operation for API keys, as the service's description lists it. Throws `NotOffered` or `NoDescription`. */
export const apiKeyOperation = (action: ResourceAction, context: Pick<Context, "describe">) =>
  offeredOperation(
    `${verbs[action]} API keys`,
    (description) => resourceOperation(description, "apiKeys", action),
    context,
  );

const verbs: Readonly<Record<ResourceAction, string>> = { list: "list", create: "create", remove: "revoke" };

export async function listApiKeys(context: Pick<Context, "describe" | "request" | "say">) {
  const { found } = await apiKeyOperation("list", context);
  return listDescribed(found, context);
}

export const columns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "NAME", paths: keyNamePaths },
  { title: "ACCESS", paths: ["access", "scope", "scopes", "role", "permissions"] },
  { title: "ENDS WITH", paths: ["lastFour", "last_four", "last4"] },
  { title: "CREATED", paths: ["createdAt", "created_at"], format: "time" },
];
