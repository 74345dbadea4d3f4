import type { Flag, Positional } from "../spec.ts";

export const rental: Positional = {
  name: "RENTAL",
  field: "rentalId",
  required: true,
  text: "Id of the rental",
  completes: "rental",
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
