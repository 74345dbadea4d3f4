import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { rentalOfTerm, termCommand, withPrice } from "./term.ts";

export default defineCommand({
  path: "reserve convert",
  summary: "Convert an on-demand rental to a reserved term",
  details: "The service rejects the request if the price differs from the one you expect.",
  ...termCommand("convertToReserved"),
  args: [rentalOfTerm("on-demand")],
  buildInput: withPrice,
  examples: [
    {
      text: "Reserve a rental for 30 days",
      command: "gpuctl reserve convert 1001 --days 30 --expected-price 1296.00 --sandbox --yes",
      after: [sandboxExamples.rental],
    },
    {
      text: "Pass the price in cents",
      command: "gpuctl reserve convert 1002 --days 30 --expected-total-price-cents 129600 --sandbox --yes",
      after: [sandboxExamples.rental, sandboxExamples.rental],
    },
  ],
});
