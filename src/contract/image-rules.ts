import { type ImageModel, imageModels, type ModelName, modelNames, resolutions } from "./image-models.ts";
import type { Rule } from "./operation.ts";

/** The fields of an image request that the rules look at. */
interface Picture {
  /** Of a model that is not documented, nothing is known that it could not do. */
  readonly model_name: string;
  readonly width: number;
  readonly height: number;
  readonly image?: string | undefined;
  readonly strength?: number | undefined;
  readonly prompt_2?: string | undefined;
  readonly negative_prompt_2?: string | undefined;
  readonly enable_refiner?: boolean | undefined;
  readonly lora?: Readonly<Record<string, number>> | undefined;
}

const modelOf = (name: string): ImageModel | undefined =>
  Object.entries(imageModels).find(([known]) => known === name)?.[1];
const isResolution = (size: string): boolean => resolutions.some((known) => known === size);
const namesWhere = (able: (name: ModelName) => boolean): string => modelNames.filter(able).join(", ");

const resolution: Rule<Picture> = {
  id: "resolution",
  text: `width x height is one of ${resolutions.join(", ")}`,
  violations: ({ width, height }) =>
    isResolution(`${width}x${height}`)
      ? []
      : ["width", "height"].map((field) => ({
          field,
          message: `${width}x${height} is not a supported resolution; use one of ${resolutions.join(", ")}`,
        })),
};

const imageToImage: Rule<Picture> = {
  id: "image-to-image",
  text: `a reference picture is taken by ${namesWhere((name) => imageModels[name].imageToImage)} only`,
  violations: ({ model_name, image, strength }) =>
    modelOf(model_name)?.imageToImage !== false
      ? []
      : Object.entries({ image, strength })
          .filter(([, value]) => value !== undefined)
          .map(([field]) => ({ field, message: `${model_name} does not do image-to-image` })),
};

const sdxlFields = ["prompt_2", "negative_prompt_2", "enable_refiner"] as const;
const sdxlOnly: Rule<Picture> = {
  id: "sdxl-only",
  text: `${sdxlFields.join(", ")} are for ${namesWhere((name) => imageModels[name].sdxl)} only`,
  violations: (input) =>
    modelOf(input.model_name)?.sdxl !== false
      ? []
      : sdxlFields
          .filter((field) => input[field] !== undefined)
          .map((field) => ({ field, message: `${input.model_name} is not an SDXL model` })),
};

const loraNames: Rule<Picture> = {
  id: "lora-names",
  text: "LoRA names are those of the model",
  violations: ({ model_name, lora }) => {
    const known = modelOf(model_name)?.loras;
    if (known === undefined) return [];
    const advice =
      known.length === 0
        ? `${model_name} takes no LoRA; ${namesWhere((name) => imageModels[name].loras.length > 0)} do`
        : `${model_name} has ${known.join(", ")}`;
    return Object.keys(lora ?? {})
      .filter((name) => !known.includes(name))
      .map((name) => ({ field: "lora", message: `unknown LoRA ${JSON.stringify(name)}: ${advice}` }));
  },
};

/** Limits of image generation that span several fields (service section 4.5). */
export const imageRules: readonly Rule<Picture>[] = [resolution, imageToImage, sdxlOnly, loraNames];
