import type { InputOf } from "../../contract/index.ts";
import { UsageError } from "../errors.ts";
import { parseId, parseNumber } from "../shared/values.ts";
import type { Args, Verb } from "../spec.ts";
import { createRental, rentalQuestion } from "./create.ts";

type Input = InputOf<"createBareMetalRental">;

export const verb: Verb<Input> = {
  input: (args) => {
    const storageVolume = volume(args.flags);
    return { ...args.fields, ...(storageVolume && { storageVolume }) };
  },
  question: (fields, _args, context) =>
    rentalQuestion("bare metal", ["createBareMetalRental", "listBareMetalRentals"], fields, context),
  run: (fields, context, args) =>
    createRental(
      {
        create: () => context.call("createBareMetalRental", fields),
        list: (options) => context.call("listBareMetalRentals", {}, options),
      },
      context,
      args,
    ),
};

/** One of the two shapes of `storageVolume`, or nothing. */
function volume(flags: Args["flags"]): object | undefined {
  const existing = flags["storage-volume"];
  const label = flags["new-volume"];
  const size = flags["new-volume-size"];
  if (existing !== undefined && (label !== undefined || size !== undefined)) {
    throw new UsageError("--storage-volume and --new-volume exclude each other: attach one or create one");
  }
  if (typeof existing === "string") return { isNew: false, id: parseId(existing) };
  if (label === undefined && size === undefined) return undefined;
  return {
    isNew: true,
    ...(label !== undefined && { label }),
    ...(typeof size === "string" && { sizeInGb: parseNumber(size, "--new-volume-size") }),
  };
}
