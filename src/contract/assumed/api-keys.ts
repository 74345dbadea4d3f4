import * as z from "zod";
import { commonErrors, lookupErrors } from "../errors.ts";
import { operation } from "../operation.ts";
import { dateTime, nothing } from "../shared.ts";
import { numberedId } from "./numbered-id.ts";

/** What a key may do. */
const keyAccesses = ["full", "read-only"] as const;

const apiKey = z
  .object({
    id: z.int(),
    name: z.string(),
    access: z.enum(keyAccesses).describe("What the key may do"),
    lastFour: z.string().describe("The last characters of its value"),
    createdAt: dateTime("When it was made"),
  })
  .meta({ id: "ApiKey", description: "An API key without its value" });

const createdApiKey = apiKey
  .extend({ apiKey: z.string().describe("Its value, which is shown only here") })
  .meta({ id: "CreatedApiKey", description: "An API key that was just made" });

const about = { host: "compute", group: "api-keys", assumed: true } as const;

export const listApiKeys = operation({
  ...about,
  id: "listApiKeys",
  method: "GET",
  path: "/v2/api-keys",
  summary: "List the API keys",
  in: "none",
  input: nothing,
  output: z.array(apiKey),
  errors: lookupErrors,
});

export const createApiKey = operation({
  ...about,
  id: "createApiKey",
  method: "POST",
  path: "/v2/api-keys",
  summary: "Make an API key",
  in: "body",
  input: z.object({
    name: z.string().min(1).max(255).describe("Name of the key"),
    access: z.enum(keyAccesses).default("full").describe("What the key may do"),
  }),
  output: createdApiKey,
  errors: commonErrors,
});

export const revokeApiKey = operation({
  ...about,
  id: "revokeApiKey",
  method: "DELETE",
  path: "/v2/api-keys/{id}",
  summary: "Revoke an API key",
  in: "path",
  input: z.object({ id: numberedId("Id of the key") }),
  output: z.object({ success: z.boolean() }),
  errors: lookupErrors,
});
