import { createHash } from "node:crypto";
import { listDescribed } from "../../client/call.ts";
import type { Context } from "../../command-kit/context.ts";
import { keyNamePaths } from "../../command-kit/described/keys.ts";
import { offeredOperation } from "../../command-kit/described/offered.ts";
import { isRecord } from "../../command-kit/responses.ts";
import { firstAt } from "../../core/json.ts";
import { copyTexts } from "../../core/values/exact-numbers.ts";
import type { Column } from "../../core/view.ts";
import { type ResourceAction, resourceOperation } from "../../openapi/resources.ts";

/** The operation for SSH keys, as the service's description lists it. Throws `NotOffered` or `NoDescription`. */
export const sshKeyOperation = (action: ResourceAction, context: Pick<Context, "describe">) =>
  offeredOperation(
    `${action} SSH keys`,
    (description) => resourceOperation(description, "sshKeys", action),
    context,
  );

export async function listSshKeys(context: Pick<Context, "describe" | "request" | "say">) {
  const { found } = await sshKeyOperation("list", context);
  return listDescribed(found, context);
}

const publicKeyPaths = ["publicKey", "public_key", "sshPublicKey", "key"];

export const columns: readonly Column[] = [
  { title: "ID", paths: ["id"] },
  { title: "NAME", paths: keyNamePaths },
  { title: "FINGERPRINT", paths: ["fingerprint"] },
  { title: "CREATED", paths: ["createdAt", "created_at"], format: "time" },
];

/** Adds the fingerprint of a record's key, as `ssh-keygen -l` shows it. */
export function withFingerprint(record: unknown): unknown {
  const key = firstAt(record, publicKeyPaths);
  if (!isRecord(record) || typeof key !== "string" || record.fingerprint !== undefined) return record;
  const bytes = Buffer.from(key.trim().split(/\s+/)[1] ?? "", "base64");
  const digest = createHash("sha256").update(bytes).digest("base64").replace(/=+$/, "");
  return bytes.length === 0 ? record : copyTexts(record, { ...record, fingerprint: `SHA256:${digest}` });
}
