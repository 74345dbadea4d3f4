import { asText, parseJson } from "../../core/json.ts";

const negativeLabel = "Negative prompt: ";
const pair = /\s*([^:,"]+):\s*("(?:\\.|[^"\\])*"|[^,]*)(?:,|$)/g;
const lora = /<lora:([^:<>]+):(\d*\.?\d+)>/g;

/** The fields of the request, by their names in the text. */
const fields: Readonly<Record<string, { readonly name: string; readonly isNumber?: true }>> = {
  Steps: { name: "steps", isNumber: true },
  Sampler: { name: "sampler" },
  "CFG scale": { name: "cfg_scale", isNumber: true },
  Seed: { name: "seed", isNumber: true },
  Model: { name: "model_name" },
  "Denoising strength": { name: "strength", isNumber: true },
};

/**
 * The settings in a text of AUTOMATIC1111 and compatible tools, by the names of the request's fields: the reverse of what gpuctl
 * writes. What has no field is left out. Undefined if the text has no line of values.
 */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const lines = text.trimEnd().split("\n");
  const last = lines.findLastIndex((line) => line.startsWith("Steps: "));
  if (last < 0) return undefined;
  const values = [...lines.slice(last).join(" ").matchAll(pair)].map(
    ([, name = "", value = ""]) => [name.trim(), unquoted(value.trim())] as const,
  );
  const before = lines.slice(0, last);
  const negative = before.findIndex((line) => line.startsWith(negativeLabel));
  const positive = before.slice(0, negative < 0 ? undefined : negative).join("\n");
  const loras = [...positive.matchAll(lora)].map(([, name = "", weight]) => [name, Number(weight)]);
  const [, width, height] = /^(\d+)x(\d+)$/.exec(values.find(([name]) => name === "Size")?.[1] ?? "") ?? [];
  return {
    prompt: positive.replace(lora, "").trim(),
    ...(negative >= 0 && {
      negative_prompt: before.slice(negative).join("\n").slice(negativeLabel.length),
    }),
    ...Object.fromEntries(values.flatMap(([name, value]) => known(name, value))),
    ...(width !== undefined && { width: Number(width), height: Number(height) }),
    ...(loras.length > 0 && { lora: Object.fromEntries(loras) }),
  };
}

function known(name: string, value: string): readonly (readonly [string, unknown])[] {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined || value === "") return [];
  const isSafe =
    Number.isFinite(Number(value)) && (!/^-?\d+$/.test(value) || Number.isSafeInteger(Number(value)));
  return [[field.name, field.isNumber && isSafe ? Number(value) : value]];
}

const unquoted = (value: string): string =>
  value.startsWith('"') ? asText(parseJson(value)) || value : value;
