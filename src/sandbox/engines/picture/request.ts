/** How far a picture moves away from its reference when nothing is said. */
export const defaultStrength = 0.75;

/** The largest reference taken is a square of so many pixels a side, or has as many: a few bytes can claim far more. */
export const referenceSide = 8192;

/** The request fields that describe one picture (service section 2.8), with the caller's defaults filled in. */
export type PictureRequest = {
  model_name: string;
  prompt: string;
  /** Pixels. */
  width: number;
  /** Pixels. */
  height: number;
  steps: number;
  cfg_scale: number;
  seed: number;
  negative_prompt?: string | undefined;
  sampler?: string | undefined;
  /** How the picture is computed, never what it shows: it leaves the pixels alone. */
  backend?: string | undefined;
  prompt_2?: string | undefined;
  negative_prompt_2?: string | undefined;
  enable_refiner?: boolean | undefined;
  /** Base64 of a PNG, JPEG or WebP reference picture. */
  image?: string | undefined;
  /** From 0, the reference itself, to 1, nearly all new. `defaultStrength` when absent. Needs `image`. */
  strength?: number | undefined;
  /** LoRA name to weight, in any order. */
  lora?: Record<string, number> | undefined;
};

/** A reference picture that is not base64 of a PNG, JPEG or WebP, or is cut, broken or too large. */
export class UnreadableReference extends Error {
  override readonly name = "UnreadableReference";
}
