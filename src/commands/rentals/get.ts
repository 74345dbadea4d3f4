import { getRental } from "../../client/rentals/waiting.ts";
import { rentalId } from "../../command-kit/arg.ts";
import { defineCommand } from "../../command-kit/define.ts";
import { examplesAfter, sandboxExamples } from "../../command-kit/examples.ts";
import { oneRental } from "./views.ts";

export default defineCommand({
  path: "rentals get",
  summary: "Show one rental, active or ended",
  operation: "getRental",
  args: [rentalId],
  fieldsWithoutFlag: ["rentalId"],
  view: oneRental,
  examples: examplesAfter(sandboxExamples.rental, [
    { text: "Show a rental", command: "gpuctl rentals get 1001 --sandbox" },
    { text: "Print the service's response as JSON", command: "gpuctl rentals get 1001 -o json --sandbox" },
  ]),
  run: async ({ input, ...context }) => ({ data: await getRental(input.rentalId, context) }),
});
