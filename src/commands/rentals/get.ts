import type { InputOf } from "../../contract/index.ts";
import { NotFound } from "../errors.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<InputOf<"getRental">> = {
  run: async (input, { call }) => {
    const rental = await call("getRental", input);
    if (rental === null) throw new NotFound(`no rental ${input.rentalId} belongs to you`);
    return { data: rental };
  },
};
