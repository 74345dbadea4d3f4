import { basename } from "node:path";
import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { createKey } from "../../command-kit/described/keys.ts";
import { differentFields } from "../../command-kit/described/offered.ts";
import { flag } from "../../command-kit/flag.ts";
import { UsageError } from "../../core/errors.ts";
import { bodyOf, sshKeyFields } from "../../openapi/resources.ts";
import { columns, listSshKeys, sshKeyOperation, withFingerprint } from "./keys.ts";

export default defineCommand({
  path: "ssh-keys add",
  summary: "Add an SSH public key to the account",
  details:
    "Reads the public key from a file such as ~/.ssh/id_ed25519.pub. A private key is refused and never sent.",
  effect: "write",
  args: [arg.text("FILE", "File with the public key; - reads stdin", { required: true })],
  flags: {
    name: flag.text("Name of the key", {
      value: "NAME",
      defaultText: "the comment in the key, or else the file name without .pub, or 'key' for stdin",
    }),
  },
  view: { kind: "record", columns, id: ["id"] },
  examples: [
    {
      text: "Add a key that is piped in",
      command:
        "printf 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada' | gpuctl ssh-keys add - --sandbox",
    },
    {
      text: "Add a key with a name other than its comment",
      command:
        "printf 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEV4YW1wbGU= ada' | gpuctl ssh-keys add - --name laptop --sandbox",
    },
  ],
  run: async ({ args: { file }, flags, ...context }) => {
    const { files, settings } = context;
    const key = publicKeyIn(
      new TextDecoder().decode(await files.read(file, "FILE")),
      file,
      settings.validate,
    );
    const name = flags.name ?? (key.comment || (file === "-" ? "key" : basename(file).replace(/\.pub$/, "")));
    const { found: operation, description } = await sshKeyOperation("create", context);
    const { body, unknown } = bodyOf(description, operation, sshKeyFields(name, key.text));
    if (unknown.length > 0) throw differentFields("add SSH keys", operation.id, unknown);
    const { method, path } = operation;
    const data = await createKey(
      {
        title: "Adding the key",
        list: listSshKeys,
        look: "`gpuctl ssh-keys list` shows whether the key was added.",
      },
      { method, path, host: "compute", body: JSON.stringify(body) },
      context,
    );
    return { data, rows: withFingerprint(data) };
  },
});

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----|^PuTTY-User-Key-File|^AGE-SECRET-KEY/im;
const publicKey = /^((?:ssh-|ecdsa-|sk-)\S+) ([A-Za-z0-9+/]+=*)(?: (.*))?$/;

/**
 * Returns the public key in a file. Throws `UsageError` if the file contains a private key, or more than one line
 * besides empty lines and comments. With `validate`, also throws if the file contains no public key.
 */
function publicKeyIn(
  text: string,
  file: string,
  validate: boolean,
): { readonly text: string; readonly comment: string } {
  const place = file === "-" ? "stdin" : file;
  if (privateKey.test(text)) {
    const hint = file === "-" ? "Pass the public key." : `Pass the public key, which is usually ${file}.pub.`;
    throw new UsageError(`${place} holds a private key, which must stay on this machine`, {
      hint: `${hint} Nothing was sent.`,
    });
  }
  const all = text.split(/\r?\n/).map((one) => one.trim());
  const lines = all.filter((one) => one !== "" && !one.startsWith("#"));
  const [line = "", ...more] = lines;
  if (more.length > 0) {
    throw new UsageError(
      `${place} has ${lines.length} lines besides comments and empty lines: FILE must hold one public key`,
    );
  }
  const comment = publicKey.exec(line)?.[3] ?? "";
  if (validate && !publicKey.test(line)) {
    throw new UsageError(`${place} does not hold an SSH public key such as "ssh-ed25519 AAAA... name"`, {
      hint: "Create one with `ssh-keygen -t ed25519`, and add its .pub file. Nothing was sent.",
    });
  }
  return { text: line, comment };
}
