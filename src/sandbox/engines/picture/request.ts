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
  /** From 0, the reference itself, to 1, nearly all new. 0.75 when absent. Needs `image`. */
  strength?: number | undefined;
  /** LoRA name to weight, in any order. */
  lora?: Record<string, number> | undefined;
};
