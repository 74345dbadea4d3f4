import { callCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";

export default callCommand({
  path: "rentals summary",
  summary: "Count the active rentals and show their hourly cost",
  operation: "getActiveRentalSummary",
  view: { kind: "record", id: [] },
  examples: examplesAfter(sandboxExamples.rental, [
    { text: "Show what is running and what it costs", command: "gpuctl rentals summary --sandbox" },
    { text: "Print the summary as JSON, in cents", command: "gpuctl rentals summary -o json --sandbox" },
  ]),
});
