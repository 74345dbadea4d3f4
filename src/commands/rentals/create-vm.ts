import type { InputOf } from "../../contract/index.ts";
import type { Verb } from "../spec.ts";
import { createRental, rentalQuestion } from "./create.ts";

type Input = InputOf<"createVirtualMachineRental">;

export const verb: Verb<Input> = {
  question: (input) => rentalQuestion("a virtual machine", "createVirtualMachineRental", input),
  run: (input, context, args) =>
    createRental(
      {
        create: () => context.call("createVirtualMachineRental", input),
        list: (options) => context.call("listVirtualMachineRentals", {}, options),
      },
      context,
      args,
    ),
};
