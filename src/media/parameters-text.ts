/** Fields of an image request (service.md 2.8) that the `parameters` text of a PNG includes. */
export interface PictureSettings {
  readonly model_name?: string | undefined;
  readonly prompt?: string | undefined;
  readonly negative_prompt?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly steps?: number | undefined;
  readonly cfg_scale?: number | undefined;
  readonly seed?: number | undefined;
  readonly sampler?: string | undefined;
  /** Base64; present in image-to-image requests. */
  readonly image?: string | undefined;
  readonly strength?: number | undefined;
  /** Name -> weight. */
  readonly lora?: Readonly<Record<string, number>> | undefined;
}

const quoted = (value: string) => (/[,:\n]/.test(value) ? JSON.stringify(value) : value);

/**
 * The settings of a picture in the text format of AUTOMATIC1111 and compatible tools: the prompt with its LoRAs, the
 * negative prompt, and a line of values. Fields that are not set are left out.
 */
export function parametersText(request: PictureSettings, version: string): string {
  const loras = Object.entries(request.lora ?? {}).map(([name, weight]) => `<lora:${name}:${weight}>`);
  const { width, height, negative_prompt: negative } = request;
  const values = {
    Steps: request.steps,
    Sampler: request.sampler || undefined,
    "CFG scale": request.cfg_scale,
    Seed: request.seed,
    Size: width === undefined || height === undefined ? undefined : `${width}x${height}`,
    Model: request.model_name,
    "Denoising strength": request.image === undefined ? undefined : request.strength,
    Version: version,
  };
  const lines = [
    [request.prompt ?? "", ...loras].filter((part) => part !== "").join(" "),
    ...(negative ? [`Negative prompt: ${negative}`] : []),
    Object.entries(values)
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${quoted(String(value))}`]))
      .join(", "),
  ];
  return lines.join("\n");
}
