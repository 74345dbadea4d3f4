import * as z from "zod";
import { backends } from "./enums.ts";
import { commonErrors } from "./errors.ts";
import { imageModels, modelNames } from "./image-models.ts";
import { imageRules } from "./image-rules.ts";
import { operation } from "./operation.ts";

const loraModels = modelNames.filter((name) => imageModels[name].loras.length > 0);

/** Image generation (service section 2.8). */
const imageInput = z.object({
  model_name: z.enum(modelNames).describe("Image model"),
  prompt: z.string().describe("What the picture shows"),
  height: z.int().default(1024).describe("Height in pixels"),
  width: z.int().default(1024).describe("Width in pixels"),
  steps: z.int().default(30).describe("Inference steps"),
  cfg_scale: z.number().default(5).describe("How closely to follow the prompt; 5 to 15 is usual"),
  negative_prompt: z.string().optional().describe("What the picture must not show"),
  seed: z.int().optional().describe("Seed; the same seed gives the same picture"),
  sampler: z.string().optional().describe("Sampler"),
  backend: z
    .enum(backends)
    .default("auto")
    .describe("auto picks by itself, tvm is made for speed, torch is more flexible"),
  prompt_2: z.string().optional().describe("Second prompt (SDXL models)"),
  negative_prompt_2: z.string().optional().describe("Second negative prompt (SDXL models)"),
  enable_refiner: z.boolean().optional().describe("Run the refiner (SDXL models)"),
  image: z.string().optional().describe("Reference picture for image-to-image"),
  strength: z.number().min(0).max(1).optional().describe("How far the picture moves away from the reference"),
  lora: z
    .record(z.string(), z.number().min(0).max(1))
    .optional()
    .describe(`LoRA weights by name (${loraModels.join(", ")})`),
});

export const generateImage = operation({
  id: "generateImage",
  method: "POST",
  path: "/v1/image/generation",
  host: "inference",
  group: "inference",
  summary: "Generate a picture",
  in: "body",
  input: imageInput,
  output: z
    .looseObject({
      images: z.array(z.looseObject({ image: z.string().describe("Base64 of the picture's bytes") })),
    })
    .meta({ id: "GeneratedImages", description: "The generated pictures" }),
  errors: commonErrors,
  rules: imageRules,
});
