import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { keyNamed, keyText, removeKey } from "../../command-kit/described/keys.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { removalRequest } from "../../openapi/resources.ts";
import { listSshKeys, sshKeyOperation } from "./keys.ts";

export default defineCommand({
  path: "ssh-keys remove",
  summary: "Remove an SSH public key from the account",
  details: "Rentals that were created with the key keep it.",
  effect: "destroy",
  args: [arg.text("KEY", "ID or name of the key", { required: true, completes: "ssh-key" })],
  view: { kind: "record", id: ["id"] },
  examples: examplesAfter(sandboxExamples.sshKey, [
    { text: "Show the request that removes a key", command: "gpuctl ssh-keys remove 1 --dry-run --sandbox" },
    { text: "Remove a key by its name", command: "gpuctl ssh-keys remove ada --yes --sandbox" },
  ]),
  buildInput: async ({ args, ...context }) => {
    const { found: operation, description } = await sshKeyOperation("remove", context);
    // A dry run ends with the first request, which must be the one that removes the key, not the lookup of its name.
    const key = context.settings.dryRun
      ? { id: args.key, record: undefined }
      : await keyNamed(args.key, {
          kind: "SSH key",
          list: "ssh-keys list",
          records: (warn) => listSshKeys({ ...context, say: warn }),
        });
    return { key, request: removalRequest(description, operation, key.id) };
  },
  confirm: {
    destruction: ({ input: { key } }) => `Remove the SSH key ${keyText(key)}?`,
  },
  run: async ({ input: { key, request: parts }, ...context }) => ({
    data: await removeKey(
      key,
      { list: listSshKeys, look: "`gpuctl ssh-keys list` shows whether the key was removed." },
      parts,
      context,
    ),
  }),
});
