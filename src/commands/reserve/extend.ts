import { defineCommand } from "../../command-kit/define.ts";
import { sandboxExamples } from "../../command-kit/examples.ts";
import { termCommand } from "./term.ts";

export default defineCommand({
  path: "reserve extend",
  summary: "Extend a reserved term",
  details:
    "The service rejects the request if the price or the end of the term differs from what you expect.",
  ...termCommand("extendReserved", "Extend"),
  examples: [
    {
      text: "Show the request that would extend a term by 30 days",
      command:
        "gpuctl reserve extend 1001 --days 30 --expected-price 1296.00 --expected-reserved-until 2027-01-19T00:00:00Z --dry-run --sandbox",
    },
    {
      text: "Pass the end of the term in a local time zone",
      command:
        "gpuctl reserve extend 1001 --days 30 --expected-price 1296.00 --expected-reserved-until 2027-01-19T02:00:00+02:00 --dry-run --sandbox",
      after: [sandboxExamples.reservedRental],
    },
  ],
});
