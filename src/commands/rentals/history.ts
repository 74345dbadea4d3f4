import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: (_input, { list }) => list("listRentalHistory", {}),
};
