import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";

export default defineCommand({
  path: "rentals summary",
  summary: "Count the active rentals and show their hourly cost",
  operation: "getActiveRentalSummary",
  view: { kind: "record", id: [] },
  examples: [
    {
      text: "Show what is running and what it costs",
      command: "gpuctl rentals summary --sandbox",
      after: [sandboxExamples.rental],
    },
    {
      text: "Print the summary as JSON, in cents",
      command: "gpuctl rentals summary -o json --sandbox",
      after: [sandboxExamples.rental],
    },
  ],
  run: async ({ input, call }) => ({ data: await call("getActiveRentalSummary", input) }),
});
