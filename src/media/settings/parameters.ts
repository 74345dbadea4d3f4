import { isRecord, parseJson, scalarText } from "../../core/json.ts";
import { stringifyExactly } from "../../core/values/exact-numbers.ts";

/** The fields of a request for a picture (service section 2.8). */
export type Settings = Readonly<Record<string, unknown>>;

/** Settings to store in a picture: a reference image is replaced by its hash, which cannot be mistaken for base64. */
export type StoredSettings = Settings & { readonly image?: `sha256:${string}` | undefined };

/**
 * The settings to store for a request. An `image` that is a string is replaced by the SHA-256 of the bytes it encodes,
 * as `sha256:...`. An `image` of another type is left out.
 */
export async function storedSettings({ image, ...settings }: Settings): Promise<StoredSettings> {
  if (typeof image !== "string") return settings;
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256").update(image, "base64").digest("hex");
  return { ...settings, image: `sha256:${hash}` };
}

/**
 * The settings of a picture in the text format of AUTOMATIC1111 and compatible tools: the prompt with its LoRAs, the
 * negative prompt, and a line of values. Fields that are not set are left out.
 */
export function parametersText(request: Settings, version: string): string {
  const { prompt, lora, negative_prompt: negative, width, height } = request;
  const loras = Object.entries(isRecord(lora) ? lora : {}).map(
    ([name, weight]) => `<lora:${name}:${textOf(weight)}>`,
  );
  const values = {
    Steps: request.steps,
    Sampler: request.sampler || undefined,
    "CFG scale": request.cfg_scale,
    Seed: request.seed,
    Size: width === undefined || height === undefined ? undefined : `${textOf(width)}x${textOf(height)}`,
    Model: request.model_name,
    "Denoising strength": request.image === undefined ? undefined : request.strength,
    Version: version,
  };
  const lines = [
    [textOf(prompt ?? ""), ...loras].filter((part) => part !== "").join(" "),
    ...(negative ? [`Negative prompt: ${textOf(negative)}`] : []),
    Object.entries(values)
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${quoted(textOf(value))}`]))
      .join(", "),
  ];
  return lines.join("\n");
}

/** Any value of a request as text. `String` would throw for some objects. */
export const textOf = (value: unknown): string =>
  typeof value === "string" ? value : scalarText(value) || (stringifyExactly(value) ?? "");

const quoted = (value: string) => (/[,:\n]/.test(value) ? JSON.stringify(value) : value);

const values = /(?:^|,)([^:,"]+):\s*("(?:\\.|[^\\"]){0,2000}"|[^,]*)/g;
const negativeStart = "Negative prompt:";

/**
 * Reads the text that `parametersText` and other tools write. Undefined if no line starts with `Steps:` and a number.
 */
export function parseParameters(text: string): Settings | undefined {
  const lines = text.trimEnd().split("\n");
  const last = lines.findLastIndex((line) => /^\s*Steps: \d/.test(line));
  if (last < 0) return undefined;
  const before = lines.slice(0, last);
  const negativeAt = before.findIndex((line) => line.startsWith(negativeStart));
  const prompt = (negativeAt < 0 ? before : before.slice(0, negativeAt)).join("\n");
  const negative =
    negativeAt < 0 ? "" : before.slice(negativeAt).join("\n").slice(negativeStart.length).trim();
  const loras = [...prompt.matchAll(lora)].map(([, name = "", weight]) => [name, Number(weight)]);
  const value = new Map(
    [...(lines[last] ?? "").matchAll(values)].map(([, name = "", raw = ""]) => [
      name.trim(),
      unquoted(raw.trim()),
    ]),
  );
  const [, width, height] = /^(\d+)x(\d+)$/.exec(value.get("Size") ?? "") ?? [];
  const fields = {
    prompt: prompt.replace(lora, "").trim(),
    negative_prompt: negative || undefined,
    model_name: value.get("Model"),
    width: numberOf(width),
    height: numberOf(height),
    steps: numberOf(value.get("Steps")),
    sampler: value.get("Sampler"),
    cfg_scale: numberOf(value.get("CFG scale")),
    seed: numberOf(value.get("Seed")),
    strength: numberOf(value.get("Denoising strength")),
    lora: loras.length === 0 ? undefined : Object.fromEntries(loras),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== undefined));
}

/** The digits of the weight can match in only one way. Otherwise, a long weight without the `>` could take hours. */
const lora = / ?<lora:([^:<>]+):(\d+(?:\.\d+)?|\.\d+)>/g;

function unquoted(value: string): string {
  const text: unknown = value.startsWith('"') ? parseJson(value) : value;
  return typeof text === "string" ? text : value;
}

/**
 * Converts a text to a number. An integer that JavaScript cannot represent exactly stays text. Returns
 * undefined for a text that is not a number.
 */
function numberOf(text: string | undefined): number | string | undefined {
  const number = text === undefined || text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) return undefined;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}
