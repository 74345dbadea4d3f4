/**
 * What `batch run` and `batch manifest` share. A job on another machine may not have the user's profile, so `batch
 * manifest` passes on what `batch run` takes from the profile.
 */
import { extname } from "node:path";
import type { Endpoint } from "../../batch/input/lines.ts";
import type { Context } from "../../command-kit/context.ts";
import { flag } from "../../command-kit/flag.ts";
import { defaultPictureModel } from "../../command-kit/inference.ts";
import { UsageError } from "../../core/errors.ts";
import { parsePrices, type TokenPrices } from "../../core/values/prices.ts";

type Settings = Pick<Context["settings"], "profile" | "profileValues">;

/** The field of a body that names the model, if a model is known. */
export function modelField(
  endpoint: Endpoint,
  model: string | undefined,
  { profileValues }: Pick<Settings, "profileValues">,
): Readonly<Record<string, string>> {
  if (endpoint === "image")
    return { model_name: model ?? profileValues["image.model"] ?? defaultPictureModel };
  if (endpoint === "tts") return model === undefined ? {} : { model };
  const chatModel = model ?? profileValues["chat.model"];
  return chatModel === undefined ? {} : { model: chatModel };
}

export const defaultModelFlag = {
  defaultModel: flag.text(
    "Model for the prompts if --model is not set. `gpuctl batch manifest` sets this flag in its jobs, because they may run without your profile",
    {
      value: "NAME",
      defaultText: `image.model or chat.model of the profile, or ${defaultPictureModel} for images`,
    },
  ),
} as const;

export const pricesFlag = {
  prices: flag.text("Prices of chat models in dollars per million tokens, such as llama=0.60/2.40", {
    value: "MODEL=IN/OUT,...",
    defaultText: "chat.prices of the profile",
  }),
} as const;

/** The prices of chat models, by model. Throws `UsageError` if they are invalid. */
export function pricesOf(
  typed: string | undefined,
  { profile, profileValues }: Settings,
): ReadonlyMap<string, TokenPrices> {
  const text = typed ?? profileValues["chat.prices"];
  if (text === undefined) return new Map();
  return parsePrices(text, typed === undefined ? `chat.prices of profile "${profile}"` : "--prices");
}

/**
 * Throws `UsageError` if the extension of a file says that the file does not hold prompts: each of its lines would be
 * sent as a prompt, and paid for. `source` is the flag or argument that names the file.
 */
export function assertPrompts(source: string, path: string): void {
  const advice = new Map([
    [".jsonl", "For a file of requests, omit --prompts and --endpoint."],
    [".tsv", "Save it as a CSV file."],
  ]).get(extname(path).toLowerCase());
  if (advice === undefined) return;
  throw new UsageError(`${source} must be a text file or a CSV file with prompts, not ${path}`, {
    hint: `${advice} Nothing was sent.`,
  });
}
