import * as z from "zod";
import { backends } from "./enums.ts";
import { commonErrors } from "./errors.ts";
import {
  type ImageModel,
  imageModels,
  type ModelName,
  modelNames,
  pricedPicture,
  resolutions,
} from "./image-models.ts";
import { operation, type Rule } from "./operation.ts";

const loraModels = modelNames.filter((name) => imageModels[name].loras.length > 0);

/** Image generation (service section 2.8). */
const imageInput = z.object({
  model_name: z.enum(modelNames).describe("Image model"),
  prompt: z.string().describe("What the image shows"),
  height: z.int().default(1024).describe("Height in pixels"),
  width: z.int().default(1024).describe("Width in pixels"),
  steps: z.int().default(30).describe("Inference steps"),
  cfg_scale: z.number().default(5).describe("How closely to follow the prompt; typically 5 to 15"),
  negative_prompt: z.string().optional().describe("What the image should not show"),
  seed: z.int().optional().describe("Seed; the same seed gives the same image"),
  sampler: z.string().optional().describe("Sampler"),
  backend: z
    .enum(backends)
    .default("auto")
    .describe("Inference backend: auto chooses, tvm is faster, torch is more flexible"),
  prompt_2: z.string().optional().describe("Second prompt (SDXL models)"),
  negative_prompt_2: z.string().optional().describe("Second negative prompt (SDXL models)"),
  enable_refiner: z.boolean().optional().describe("Run the refiner (SDXL models)"),
  image: z.string().optional().describe("Reference image for image-to-image"),
  strength: z.number().min(0).max(1).optional().describe("How far the image may differ from the reference"),
  lora: z
    .record(z.string(), z.number().min(0).max(1))
    .optional()
    .describe(`LoRA weights by LoRA name, only for ${loraModels.join(" and ")}`),
});

/**
 * The input of the rules. It may name a model that the service does not document. Rules about what a model supports
 * accept everything for such a model.
 */
type ImageInput = Omit<z.output<typeof imageInput>, "model_name"> & { readonly model_name: string };

const modelOf = (name: string): ImageModel | undefined =>
  Object.entries(imageModels).find(([known]) => known === name)?.[1];
const isResolution = (size: string): boolean => resolutions.some((known) => known === size);
const namesWhere = (isIncluded: (name: ModelName) => boolean): string =>
  modelNames.filter(isIncluded).join(", ");

const resolution: Rule<ImageInput> = {
  id: "resolution",
  text: `width x height must be one of ${resolutions.join(", ")}`,
  violations: ({ width, height }) =>
    isResolution(`${width}x${height}`)
      ? []
      : ["width", "height"].map((field) => ({
          field,
          message: `${width}x${height} is not a supported resolution; use one of ${resolutions.join(", ")}`,
        })),
};

const imageToImage: Rule<ImageInput> = {
  id: "image-to-image",
  text: `only ${namesWhere((name) => imageModels[name].imageToImage)} support a reference image`,
  violations: ({ model_name, image, strength }) =>
    modelOf(model_name)?.imageToImage !== false
      ? []
      : Object.entries({ image, strength })
          .filter(([, value]) => value !== undefined)
          .map(([field]) => ({ field, message: `${model_name} does not support image-to-image` })),
};

const sdxlFields = ["prompt_2", "negative_prompt_2", "enable_refiner"] as const;
const sdxlOnly: Rule<ImageInput> = {
  id: "sdxl-only",
  text: `only ${namesWhere((name) => imageModels[name].sdxl)} support ${sdxlFields.join(", ")}`,
  violations: (input) =>
    modelOf(input.model_name)?.sdxl !== false
      ? []
      : sdxlFields
          .filter((field) => input[field] !== undefined)
          .map((field) => ({ field, message: `${input.model_name} is not an SDXL model` })),
};

const loraNames: Rule<ImageInput> = {
  id: "lora-names",
  text: "the model must support each LoRA",
  violations: ({ model_name, lora }) => {
    const known = modelOf(model_name)?.loras;
    if (known === undefined) return [];
    const problem = (name: string): string => {
      const lora = JSON.stringify(name);
      if (known.length > 0) {
        return `${model_name} does not support the LoRA ${lora}; it supports ${known.join(", ")}`;
      }
      const models = loraModels.filter((model) => imageModels[model].loras.includes(name)).join(" or ");
      return `${model_name} does not support LoRAs${models && `; use ${models} for ${lora}`}`;
    };
    return Object.keys(lora ?? {})
      .filter((name) => !known.includes(name))
      .map((name) => ({ field: "lora", message: problem(name) }));
  },
};

/** Limits of image generation that span several fields (service section 4.5). */
const imageRules: readonly Rule<ImageInput>[] = [resolution, imageToImage, sdxlOnly, loraNames];

export const generateImage = operation({
  id: "generateImage",
  method: "POST",
  effect: "generate",
  path: "/v1/image/generation",
  host: "inference",
  group: "inference",
  summary: "Generate an image",
  in: "body",
  input: imageInput,
  output: z
    .looseObject({
      images: z.array(z.looseObject({ image: z.string().describe("The image, base64-encoded") })),
    })
    .meta({ id: "GeneratedImages", description: "The generated pictures" }),
  errors: commonErrors,
  rules: imageRules,
  notes: [
    ...loraModels.map((name) => `LoRAs for ${name}: ${imageModels[name].loras.join(", ")}.`),
    `A picture of ${pricedPicture.width}x${pricedPicture.height} pixels with ${pricedPicture.steps} steps costs ${pricedPicture.dollars} dollars. The price is proportional to the width, the height and the steps: ${pricedPicture.dollars} x (width/${pricedPicture.width}) x (height/${pricedPicture.height}) x (steps/${pricedPicture.steps}).`,
  ],
});
