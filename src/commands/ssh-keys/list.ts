import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { columns, listSshKeys, withFingerprint } from "./keys.ts";

export default defineCommand({
  path: "ssh-keys list",
  summary: "List the SSH public keys of the account",
  details:
    "To give a new rental some of these keys, pass their IDs to --ssh-public-key-ids of `gpuctl rentals create`.",
  view: { kind: "list", columns, empty: "No SSH keys.", id: ["id"] },
  examples: examplesAfter(sandboxExamples.sshKey, [
    { text: "List the SSH keys", command: "gpuctl ssh-keys list --sandbox" },
    { text: "Print only the IDs", command: "gpuctl ssh-keys list -o id --sandbox" },
  ]),
  run: async (context) => {
    const data = await listSshKeys(context);
    return { data, rows: data.map(withFingerprint) };
  },
});
