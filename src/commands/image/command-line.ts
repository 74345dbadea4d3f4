import { kebab } from "../../command-kit/tree.ts";
import { routes } from "../../contract/generated/routes.ts";
import { modelNames, resolutions } from "../../contract/image-models.ts";
import { isRecord } from "../../core/json.ts";
import { quoted } from "../../core/text.ts";
import { plainText, sanitize } from "../../output/text.ts";

/**
 * A command line that generates a picture again, and notes about what it cannot repeat. It is quoted for a POSIX shell.
 */
export interface CommandLine {
  /** Undefined if the picture has no prompt. */
  readonly line: string | undefined;
  readonly notes: readonly string[];
}

/**
 * Returns the command line for the settings of a picture. The settings are untrusted, so the line contains only known
 * fields with values of the right kind. The only control characters in it are line breaks within quotes: a terminal
 * would treat other control characters as key presses when the line is pasted.
 */
export function commandLine(settings: Readonly<Record<string, unknown>>): CommandLine {
  const prompt = typeof settings.prompt === "string" ? clean(settings.prompt) : "";
  if (prompt.trim() === "") return { line: undefined, notes: [] };
  const notes: string[] = [];
  const { image, width, height, model_name: model } = settings;
  const leftOut = new Set(["prompt", "width", "height", "image", "strength"]);
  if (image !== undefined) {
    const strength = typeof settings.strength === "number" ? ` --strength ${settings.strength}` : "";
    notes.push(`Made from a reference image: add --image FILE${strength}.`);
  }
  if (model !== undefined && !modelNames.some((one) => one === model)) {
    notes.push(`The service has no model ${clean(model)}: the command line uses the default model.`);
    leftOut.add("model_name");
  }
  if (isTooLarge(settings.seed)) {
    notes.push(`The seed ${settings.seed} is too large to be sent exactly: the command line has no seed.`);
    leftOut.add("seed");
  }
  const size = `${plainText(width)}x${plainText(height)}`;
  const hasSize = resolutions.some((one) => one === size);
  if (!hasSize && width !== undefined) notes.push(`The service does not support the size ${clean(size)}.`);
  // A prompt of one word could be taken for a subcommand, and one that starts with a dash for a flag.
  const isPlain = /\s/.test(prompt) && !prompt.startsWith("-");
  const words = [
    ...(isPlain ? [prompt] : flagWords("prompt", prompt)),
    ...(hasSize ? ["--size", size] : []),
    ...fields
      .filter(({ name }) => !leftOut.has(name))
      .flatMap((field) => fieldWords(field, settings[field.name])),
  ];
  return { line: ["gpuctl image", ...words.map(quoted)].join(" "), notes };
}

/** Whether a setting is a whole number that JavaScript does not represent exactly. Such a number is stored as text. */
export const isTooLarge = (value: unknown): value is string =>
  typeof value === "string" && /^-?\d+$/.test(value) && !Number.isSafeInteger(Number(value));

const { fields } = routes.generateImage;

/** Returns the flag for a field, or nothing if the value has the wrong kind. */
function fieldWords({ name, kind }: (typeof fields)[number], value: unknown): readonly string[] {
  if (kind === "boolean" && typeof value === "boolean") return [`--${value ? "" : "no-"}${kebab(name)}`];
  if (kind === "string" && typeof value === "string" && value !== "") return flagWords(name, clean(value));
  if (kind === "map" && isRecord(value)) return mapWords(name, value);
  const isNumber = (kind === "integer" || kind === "number") && typeof value !== "object";
  return isNumber && /^-?\d+(\.\d+)?$/.test(`${value}`) ? flagWords(name, `${value}`) : [];
}

function mapWords(name: string, value: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(value).flatMap(([key, weight]) =>
    typeof weight === "number" ? flagWords(name, `${clean(key)}:${weight}`) : [],
  );
}

const flagWords = (name: string, value: string): readonly string[] =>
  /^-|^$/.test(value) || name === "prompt" ? [`--${kebab(name)}=${value}`] : [`--${kebab(name)}`, value];

const clean = (value: unknown): string =>
  sanitize(plainText(value).replaceAll("\t", " ").replaceAll("\r\n", "\n"));
