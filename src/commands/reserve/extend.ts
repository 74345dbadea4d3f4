import type { InputOf } from "../../contract/index.ts";
import type { Verb } from "../spec.ts";
import { termOrLook, termQuestion, withPrice } from "./term.ts";

export const verb: Verb<InputOf<"extendReserved">> = {
  input: withPrice,
  question: (input) => termQuestion("Extend", input),
  run: async (input, context) => ({
    data: await termOrLook(() => context.call("extendReserved", input), input.rentalId, context),
  }),
};
