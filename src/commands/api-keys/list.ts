import { defineCommand } from "../../command-kit/define.ts";
import { columns, listApiKeys } from "./keys.ts";

export default defineCommand({
  path: "api-keys list",
  summary: "List the API keys of the account, without their values",
  details: "`gpuctl auth status` shows which key is in use.",
  view: { kind: "list", columns, empty: "No API keys.", id: ["id"] },
  examples: [
    { text: "List the API keys", command: "gpuctl api-keys list --sandbox" },
    { text: "Print only the IDs", command: "gpuctl api-keys list -o id --sandbox" },
  ],
  run: async (context) => ({ data: await listApiKeys(context) }),
});
