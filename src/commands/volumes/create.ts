import type { InputOf } from "../../contract/index.ts";
import { writeAndLook } from "../shared/look.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<InputOf<"createStorageVolume">> = {
  run: async (input, context) => ({
    data: await writeAndLook(
      () => context.call("createStorageVolume", input),
      () => context.call("listStorageVolumes", {}),
      context,
    ),
  }),
};
