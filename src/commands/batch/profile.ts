/** What a batch takes from the profile. A job on another machine has no profile, so `batch manifest` passes it on. */
import type { Endpoint } from "../../batch/input/lines.ts";
import type { Context } from "../../command-kit/context.ts";
import { flag } from "../../command-kit/flag.ts";
import { defaultPictureModel } from "../../command-kit/inference.ts";
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
