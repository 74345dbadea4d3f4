import { rental, rentOne } from "../rentals/flags.ts";
import type { CommandSpec, Flag } from "../spec.ts";

const expectedPrice: Flag = {
  names: ["expected-price"],
  value: "AMOUNT",
  text: "The same as --expected-total-price-cents, in dollars such as 1234.50",
  gives: ["expectedTotalPriceCents"],
};

/** What the commands for the term of one rental share. */
const ofTerm = {
  positionals: [rental],
  withoutFlag: ["rentalId"],
  flags: [expectedPrice],
  confirms: "spending",
  view: { kind: "record", id: ["rentalId", "id"] },
} satisfies Partial<CommandSpec>;

const convert = "gpuctl reserve convert 1001 --days 30 --expected-price 1296.00 --sandbox --yes";
const reserved = "gpuctl rentals create vm --gpus 1 --term-type reserved --days 30 --sandbox --yes";

export const reserveCommands: readonly CommandSpec[] = [
  {
    path: ["reserve", "convert"],
    summary: "Convert an on-demand rental to a reserved term",
    details: "The service refuses when its price is not the one that you expect.",
    operations: ["convertToReserved", "getRental"],
    ...ofTerm,
    examples: [
      { text: "Reserve a rental for 30 days", command: convert, after: [rentOne] },
      {
        text: "The price in cents",
        command: "gpuctl reserve convert 1001 --days 30 --expected-total-price-cents 129600 --sandbox --yes",
        after: [rentOne],
      },
    ],
    load: () => import("./convert.ts"),
  },
  {
    path: ["reserve", "extend"],
    summary: "Extend a reserved term",
    details: "The service refuses when the price or the end of the term is not what you expect.",
    operations: ["extendReserved", "getRental"],
    ...ofTerm,
    examples: [
      {
        text: "Show the request that would extend a term by 30 days",
        command:
          "gpuctl reserve extend 1001 --days 30 --expected-price 1296.00 --expected-reserved-until 2027-01-19T00:00:00Z --dry-run --sandbox",
      },
      {
        text: "The end of the term in a local time zone",
        command:
          "gpuctl reserve extend 1001 --days 30 --expected-price 1296.00 --expected-reserved-until 2027-01-19T02:00:00+02:00 --dry-run --sandbox",
        after: [reserved],
      },
    ],
    load: () => import("./extend.ts"),
  },
  {
    path: ["reserve", "request"],
    summary: "Ask for a reservation of many GPUs",
    operations: ["requestReservation"],
    view: { kind: "lines", path: "message" },
    examples: [
      { text: "Ask for 512 GPUs", command: "gpuctl reserve request --gpu-count 512 --sandbox" },
      { text: "The answer as JSON", command: "gpuctl reserve request --gpus 64 -o json --sandbox" },
    ],
    load: () => import("./request.ts"),
  },
];
