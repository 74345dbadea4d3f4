import * as z from "zod";
import { commonErrors, lookupErrors } from "../errors.ts";
import { operation } from "../operation.ts";
import { dateTime, nothing } from "../shared.ts";
import { numberedId } from "./numbered-id.ts";

const sshKey = z
  .object({
    id: z.int().describe("What sshPublicKeyIds of a rental takes"),
    name: z.string(),
    publicKey: z.string(),
    createdAt: dateTime("When it was added"),
  })
  .meta({ id: "SshKey", description: "An SSH public key" });

const about = { host: "compute", group: "ssh-keys", assumed: true } as const;

export const listSshKeys = operation({
  ...about,
  id: "listSshKeys",
  method: "GET",
  path: "/v2/ssh-keys",
  summary: "List the SSH public keys",
  in: "none",
  input: nothing,
  output: z.array(sshKey),
  errors: lookupErrors,
});

export const createSshKey = operation({
  ...about,
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
      .describe("The key as it stands in a .pub file"),
  }),
  output: sshKey,
  errors: commonErrors,
});

export const deleteSshKey = operation({
  ...about,
  id: "deleteSshKey",
  method: "DELETE",
  path: "/v2/ssh-keys/{id}",
  summary: "Delete an SSH public key",
  in: "path",
  input: z.object({ id: numberedId("Id of the key") }),
  output: z.object({ success: z.boolean() }),
  errors: lookupErrors,
});
