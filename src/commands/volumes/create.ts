import type { InputOf } from "../../contract/index.ts";
import { createAndLook } from "../shared/look.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<InputOf<"createStorageVolume">> = {
  run: async (input, context) => ({
    data: await context.progress("Creating the volume", () =>
      createAndLook(
        "volume",
        () => context.call("createStorageVolume", input),
        (options) => context.call("listStorageVolumes", {}, options),
        context,
      ),
    ),
  }),
};
