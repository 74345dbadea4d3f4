import { imageModels, modelNames } from "../../contract/image-models.ts";
import type { Verb } from "../spec.ts";

export const verb: Verb<object> = {
  run: async () => ({ data: modelNames.map((model) => ({ model, ...imageModels[model] })) }),
};
