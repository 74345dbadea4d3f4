import type { InputOf } from "../../contract/index.ts";
import type { Verb } from "../spec.ts";
import { termOrLook, termQuestion, withPrice } from "./term.ts";

export const verb: Verb<InputOf<"convertToReserved">> = {
  input: withPrice,
  question: (input) => termQuestion("Reserve", input),
  run: async (input, context) => ({
    data: await termOrLook(() => context.call("convertToReserved", input), input.rentalId, context),
  }),
};
