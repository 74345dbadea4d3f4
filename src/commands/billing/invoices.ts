import { listDescribed } from "../../client/call.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { billingOperation } from "./operations.ts";

export default defineCommand({
  path: "billing invoices",
  summary: "List the invoices",
  view: {
    kind: "list",
    columns: [
      { title: "ID", paths: ["id", "invoiceId", "number"] },
      { title: "STATUS", paths: ["status", "state"] },
      {
        title: "TOTAL",
        name: "totalCents",
        paths: ["totalCents", "amountCents", "amountDueCents"],
        format: "cents",
      },
      { title: "CREATED", paths: ["createdAt", "created_at", "periodStart"], format: "time" },
    ],
    empty: "No invoices.",
    id: ["id", "invoiceId", "number"],
  },
  examples: examplesAfter(sandboxExamples.rental, [
    { text: "List the invoices", command: "gpuctl billing invoices --sandbox" },
    {
      text: "Print the invoices as JSON, with the lines of each invoice",
      command: "gpuctl billing invoices -o json --sandbox",
    },
  ]),
  run: async (context) => ({
    data: await listDescribed(await billingOperation("invoices", context), context),
  }),
});
