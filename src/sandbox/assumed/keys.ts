import * as z from "zod";
import { commonErrors, lookupErrors } from "../../contract/errors.ts";
import { operation } from "../../contract/operation.ts";
import { dateTime } from "../../contract/shared.ts";
import { fieldlessRead } from "./pages.ts";

const keyAccesses = ["full", "read-only"] as const;

const apiKey = z
  .object({
    id: z.int(),
    name: z.string(),
    access: z.enum(keyAccesses).describe("Access that the key grants"),
    lastFour: z.string().describe("The last four characters of the key's value"),
    createdAt: dateTime("When it was created"),
  })
  .meta({ id: "ApiKey", description: "An API key without its value" });

const createdApiKey = apiKey
  .extend({ apiKey: z.string().describe("The key's value, which is returned only once") })
  .meta({ id: "CreatedApiKey", description: "A new API key with its value" });

const apiKeyGroup = { host: "compute", group: "api-keys", assumed: true } as const;

const removal = {
  method: "DELETE",
  in: "path",
  input: z.object({ id: z.int().gt(0).describe("ID of the key") }),
  output: z.object({ success: z.boolean() }),
  errors: lookupErrors,
} as const;

export const listApiKeys = operation({
  ...apiKeyGroup,
  ...fieldlessRead,
  id: "listApiKeys",
  path: "/v2/api-keys",
  summary: "List the API keys",
  output: z.array(apiKey),
});

export const createApiKey = operation({
  ...apiKeyGroup,
  id: "createApiKey",
  method: "POST",
  path: "/v2/api-keys",
  summary: "Create an API key",
  in: "body",
  input: z.object({
    name: z.string().min(1).max(255).describe("Name of the key"),
    access: z.enum(keyAccesses).default("full").describe("Access that the key grants"),
  }),
  output: createdApiKey,
  errors: commonErrors,
});

export const revokeApiKey = operation({
  ...apiKeyGroup,
  ...removal,
  id: "revokeApiKey",
  path: "/v2/api-keys/{id}",
  summary: "Revoke an API key",
});

const sshKey = z
  .object({
    id: z.int().describe("ID to use in the sshPublicKeyIds of a rental"),
    name: z.string(),
    publicKey: z.string(),
    createdAt: dateTime("When it was added"),
  })
  .meta({ id: "SshKey", description: "An SSH public key" });

const sshKeyGroup = { host: "compute", group: "ssh-keys", assumed: true } as const;

export const listSshKeys = operation({
  ...sshKeyGroup,
  ...fieldlessRead,
  id: "listSshKeys",
  path: "/v2/ssh-keys",
  summary: "List the SSH public keys",
  output: z.array(sshKey),
});

export const createSshKey = operation({
  ...sshKeyGroup,
  id: "createSshKey",
  method: "POST",
  path: "/v2/ssh-keys",
  summary: "Add an SSH public key",
  in: "body",
  input: z.object({
    name: z.string().min(1).max(255).describe("Name of the key"),
    publicKey: z
      .string()
      .regex(/^(ssh-(rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-\S+) [A-Za-z0-9+/]+=*( .*)?\s*$/)
      .meta({ examples: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada"] })
      .describe("The key, as in its .pub file"),
  }),
  output: sshKey,
  errors: commonErrors,
});

export const deleteSshKey = operation({
  ...sshKeyGroup,
  ...removal,
  id: "deleteSshKey",
  path: "/v2/ssh-keys/{id}",
  summary: "Delete an SSH public key",
});
