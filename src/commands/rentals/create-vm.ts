import type { InputOf } from "../../contract/index.ts";
import type { Verb } from "../spec.ts";
import { createRental, rentalQuestion } from "./create.ts";

type Input = InputOf<"createVirtualMachineRental">;

export const verb: Verb<Input> = {
  question: (input, _args, context) =>
    rentalQuestion(
      "a virtual machine",
      ["createVirtualMachineRental", "listVirtualMachineRentals"],
      input,
      context,
    ),
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
