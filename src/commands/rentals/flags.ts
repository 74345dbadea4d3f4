import type { Flag, Positional } from "../spec.ts";

export const rental: Positional = {
  name: "RENTAL",
  field: "rentalId",
  required: true,
  text: "Id of the rental",
  completes: "rental",
};

/** A command line that makes the rental 1001 in a new sandbox, for the examples of commands that need one. */
export const rentOne = "gpuctl rentals create vm --gpus 1 --sandbox --yes";

/** The types of a rental, as they are typed. */
export const rentalTypes = ["vm", "bare-metal"] as const;
export type RentalType = (typeof rentalTypes)[number];

export const typeFlag: Flag = {
  names: ["type"],
  value: "TYPE",
  choices: rentalTypes,
  text: "Only this type; both when left out",
};

/** The time between two looks at a rental, or at all of them, when no flag names one. */
export const usualInterval = "5s";

export const waitTimeout: Flag = {
  names: ["wait-timeout"],
  value: "DURATION",
  text: "Longest time to wait",
  default: "15m",
};

export const watchFlag: Flag = {
  names: ["watch"],
  value: "INTERVAL",
  bare: usualInterval,
  text: "Look again and again until Ctrl-C, and mark what changed",
};
