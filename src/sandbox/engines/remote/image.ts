import * as z from "zod";
import type { CheckedInputOf } from "../../../contract/index.ts";
import { operations } from "../../../contract/index.ts";
import { fieldsOf } from "../../../contract/plain/fields.ts";
import { asList, asRecord, asText, isRecord } from "../../../core/json.ts";
import { ignoredFieldsHeader } from "../../../core/sandbox.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { Engine } from "../../tables/engines.ts";
import { EngineFailure, orFailure, sentenceAbout } from "./failure.ts";
import { type EngineAccess, jsonFromEngine } from "./request.ts";

type Input = CheckedInputOf<"generateImage">;

/** The fields of the AUTOMATIC1111 API that correspond to fields of the service. */
const equivalents = {
  model_name: "override_settings",
  prompt: "prompt",
  negative_prompt: "negative_prompt",
  width: "width",
  height: "height",
  steps: "steps",
  cfg_scale: "cfg_scale",
  seed: "seed",
  sampler: "sampler_name",
  image: "init_images",
  strength: "denoising_strength",
  lora: "lora",
} as const satisfies Partial<Record<keyof Input, string>>;

const contractFields = fieldsOf(operations.generateImage.input);

/** The fields for which image engines have no equivalent. */
export const ignoredImageFields: readonly string[] = contractFields
  .map(({ name }) => name)
  .filter((name) => !(name in equivalents));

/**
 * Asks an engine with the AUTOMATIC1111 API to draw a picture. Fields that the service does not document are passed on
 * as given. A header of the response names fields that had no effect.
 */
export const drawWithEngine = (exchange: Exchange, input: Input, access: EngineAccess) =>
  orFailure(exchange, async () => {
    const given = asRecord(JSON.parse(await exchange.request.text()));
    const body = await requestFor(input, given, access);
    const path = input.image === undefined ? "/txt2img" : "/img2img";
    const response = asRecord(await jsonFromEngine(access, { path, body: JSON.stringify(body) }));
    const pictures = asList(response.images)
      .map(asText)
      .filter((image) => image !== "");
    if (pictures.length === 0) {
      throw new EngineFailure(sentenceAbout(access.engine, "responded without an image."));
    }
    const info = infoOf(response.info);
    const ignored = ignoredFields(given, info, access.engine);
    if (ignored.length > 0) exchange.headers[ignoredFieldsHeader.toLowerCase()] = ignored.join(", ");
    return {
      images: pictures.map((image, index) => {
        const seed = [info.all_seeds?.[index], info.seed, input.seed].find(isSeed);
        return {
          index,
          image: image.replace(/^data:[^,]*,/, ""),
          ...(seed !== undefined && { random_seed: seed }),
        };
      }),
    };
  });

const isSeed = (value: number | undefined): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

async function requestFor(input: Input, given: Readonly<Record<string, unknown>>, access: EngineAccess) {
  const { engine } = access;
  const extra = Object.entries(given).filter(
    ([name]) => !contractFields.some((field) => field.name === name),
  );
  const { override_settings, ...others } = Object.fromEntries(extra);
  const { width, height, steps, cfg_scale } = input;
  const reference = input.image !== undefined && {
    init_images: [input.image],
    ...(input.strength !== undefined && { denoising_strength: input.strength }),
  };
  return {
    ...others,
    ...{ width, height, steps, cfg_scale },
    seed: input.seed ?? -1,
    ...(input.negative_prompt !== undefined && { negative_prompt: input.negative_prompt }),
    ...(input.sampler !== undefined && { sampler_name: input.sampler }),
    override_settings: {
      ...asRecord(override_settings),
      sd_model_checkpoint: engine.model ?? input.model_name,
    },
    ...reference,
    prompt: input.prompt,
    ...(await withLoras(input, access)),
  };
}

/** The LoRAs that an engine lists. A LoRA has an alias only if the engine reads LoRAs from the prompt. */
const loraList = z.array(
  z.looseObject({ name: z.string(), path: z.string().nullish(), alias: z.string().nullish() }),
);

/**
 * The LoRAs in the form that the engine reads: AUTOMATIC1111 and Forge read them from the prompt, stable-diffusion.cpp
 * and KoboldCpp from a list of files.
 * @throws EngineFailure if the engine lists its LoRAs and a requested one is not among them. AUTOMATIC1111 itself would
 * ignore such a LoRA.
 */
async function withLoras({ prompt, lora = {} }: Input, access: EngineAccess): Promise<object> {
  const weights = Object.entries(lora);
  if (weights.length === 0) return {};
  const inPrompt = (named: readonly (readonly [string, number])[]) => ({
    prompt: [prompt, ...named.map(([name, weight]) => `<lora:${name}:${weight}>`)].join(" "),
  });
  const listed = await listLoras(access);
  if (listed === undefined) return inPrompt(weights);
  const chosen = weights.map(([name, weight]) => {
    const same = (text: string | null | undefined) => text?.toLowerCase() === name.toLowerCase();
    const found = listed.find((one) => same(one.name) || same(one.alias));
    if (found !== undefined) return { found, weight };
    const names = listed.map((one) => one.name).join(", ") || "none";
    throw new EngineFailure(sentenceAbout(access.engine, `has no LoRA ${name}. It has: ${names}.`), {
      status: 400,
    });
  });
  if (listed.some(({ alias }) => alias !== undefined)) {
    return inPrompt(chosen.map(({ found, weight }) => [found.name, weight]));
  }
  return {
    lora: chosen.map(({ found, weight }) => ({ path: found.path ?? found.name, multiplier: weight })),
  };
}

/** The LoRAs of an engine; undefined if it does not list them. */
async function listLoras(access: EngineAccess): Promise<z.output<typeof loraList> | undefined> {
  try {
    return loraList.safeParse(await jsonFromEngine(access, { path: "/loras" })).data;
  } catch (error) {
    if (error instanceof EngineFailure && error.status === 404) return undefined;
    throw error;
  }
}

const infoShape = z.object({
  seed: z.number().optional().catch(undefined),
  all_seeds: z.array(z.number()).optional().catch(undefined),
  sd_model_name: z.string().optional().catch(undefined),
});

/** What an engine reports about its pictures, either as an object or as JSON text. */
function infoOf(info: unknown): z.output<typeof infoShape> {
  try {
    return infoShape.parse(isRecord(info) ? info : JSON.parse(asText(info)));
  } catch {
    return {};
  }
}

/** The fields of a request that had no effect. Leaves out `model_name` if a model is set for the engine. */
function ignoredFields(
  given: Readonly<Record<string, unknown>>,
  { sd_model_name }: z.output<typeof infoShape>,
  { model }: Engine,
): readonly string[] {
  const requested = asText(given.model_name).toLowerCase();
  const usedAnother = model === undefined && !sd_model_name?.toLowerCase().includes(requested);
  const noEffect: readonly unknown[] = [undefined, null, false, "", "auto"];
  return [
    ...(usedAnother ? ["model_name"] : []),
    ...ignoredImageFields.filter((name) => !noEffect.includes(given[name])),
  ];
}
