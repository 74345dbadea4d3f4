/** The `strength` of a request that does not set it. */
export const defaultStrength = 0.75;

/** A reference has at most as many pixels as a square with this side. */
export const referenceSide = 8192;

/** The request fields that describe one picture (service section 2.8), with defaults applied. */
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
  /** Has no effect on the pixels. */
  backend?: string | undefined;
  prompt_2?: string | undefined;
  negative_prompt_2?: string | undefined;
  enable_refiner?: boolean | undefined;
  /** Base64 of a PNG, JPEG or WebP reference picture. */
  image?: string | undefined;
  /** From 0, the reference itself, to 1, almost entirely new. Defaults to `defaultStrength`. Requires `image`. */
  strength?: number | undefined;
  /** LoRA name to weight, in any order. */
  lora?: Record<string, number> | undefined;
};

/** The reference is not base64 of a PNG, JPEG or WebP, or it is truncated, broken or too large. */
export class UnreadableReference extends Error {
  override readonly name = "UnreadableReference";
}
