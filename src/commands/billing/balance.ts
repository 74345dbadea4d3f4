import { defineCommand } from "../../command-kit/define.ts";
import { objectOf } from "../../command-kit/responses.ts";
import { billingOperation } from "./operations.ts";

export default defineCommand({
  path: "billing balance",
  summary: "Show the balance of the account",
  view: { kind: "record", id: [] },
  examples: [
    { text: "Show the balance in dollars", command: "gpuctl billing balance --sandbox" },
    { text: "Print the response as JSON, in cents", command: "gpuctl billing balance -o json --sandbox" },
  ],
  run: async (context) => {
    const { method, path } = await billingOperation("balance", context);
    return { data: objectOf(await context.request({ method, path, host: "compute" })) };
  },
});
