import type { InputOf } from "../../contract/index.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<InputOf<"attachStorageVolume">> = {
  run: async (input, { call }) => ({ data: await call("attachStorageVolume", input) }),
};
