import { callCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";

export default callCommand({
  path: "rentals summary",
  summary: "Count the active rentals and show their hourly cost",
  operation: "getActiveRentalSummary",
  view: { kind: "record", id: [] },
  examples: [
    {
      text: "What is running and what it costs",
      command: "gpuctl rentals summary --sandbox",
      after: [sandboxExamples.rental],
    },
    {
      text: "In cents, for a script",
      command: "gpuctl rentals summary -o json --sandbox",
      after: [sandboxExamples.rental],
    },
  ],
});
