import { arg } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { keyNamed, keyText, removeKey } from "../../command-kit/described/keys.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { removalRequest } from "../../openapi/resources.ts";
import { apiKeyOperation, listApiKeys } from "./keys.ts";

export default defineCommand({
  path: "api-keys revoke",
  summary: "Revoke an API key",
  effect: "destroy",
  args: [arg.text("KEY", "ID or name of the key", { required: true, completes: "api-key" })],
  view: { kind: "record", id: ["id"] },
  examples: examplesAfter(sandboxExamples.apiKey, [
    { text: "Show the request that revokes a key", command: "gpuctl api-keys revoke 1 --dry-run --sandbox" },
    { text: "Revoke a key by its name", command: "gpuctl api-keys revoke old-ci --yes --sandbox" },
  ]),
  buildInput: async ({ args, ...context }) => {
    const { found: operation, description } = await apiKeyOperation("remove", context);
    // A dry run ends with the first request, which must be the one that removes the key, not the lookup of its name.
    const key = context.settings.dryRun
      ? { id: args.key, record: undefined }
      : await keyNamed(args.key, {
          kind: "API key",
          list: "api-keys list",
          records: (warn) => listApiKeys({ ...context, say: warn }),
        });
    return { key, request: removalRequest(description, operation, key.id) };
  },
  confirm: {
    destruction: ({ input: { key } }) =>
      `Revoke the API key ${keyText(key)}? Anything that uses it stops working.`,
  },
  run: async ({ input: { key, request: parts }, ...context }) => ({
    data: await removeKey(
      key,
      { list: listApiKeys, look: "`gpuctl api-keys list` shows whether the key was revoked." },
      parts,
      context,
    ),
  }),
});
