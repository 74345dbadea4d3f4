import type { Context } from "../../command-kit/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { EmptyResult } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import type { Bytes } from "../../core/result.ts";
import { type OutputTarget, type SavedFile, saveMedia } from "../../media/output-target.ts";
import { addPngText, parametersText } from "../../media/png-text.ts";

export interface PictureOptions {
  readonly count: number;
  /** Dollars for one picture. */
  readonly cost: number;
  readonly target: OutputTarget;
  /** Write the settings into a PNG. */
  readonly metadata: boolean;
}

interface Generated {
  readonly response: unknown;
  readonly request: InputOf<"generateImage">;
  /** Which of the pictures this is, from 1. */
  readonly index: number;
}

export interface SavedPicture extends SavedFile {
  readonly seed: unknown;
  readonly model: unknown;
  readonly size: string;
  readonly cost: number;
  readonly request: object;
}

/** Saves every picture of a response; with `--out -` returns the first one's bytes instead. */
export async function savePictures(
  { response, request, index }: Generated,
  { count, cost, target, metadata }: PictureOptions,
  { settings, serviceNow }: Pick<Context, "settings" | "serviceNow">,
): Promise<{ readonly saved: readonly SavedPicture[] } | Bytes> {
  const { image: _, ...shown } = request;
  const { prompt, model_name: model, width, height } = request;
  const saved: SavedPicture[] = [];
  for (const { base64, seed: reported } of picturesOf(response)) {
    const seed = reported ?? request.seed;
    const embedded: Readonly<Record<string, unknown>> = seed === undefined ? request : { ...request, seed };
    const names = {
      date: new Date(serviceNow()),
      prompt,
      fallback: "picture",
      model: String(model),
      index,
      ...(seed !== undefined && { seed: Number(seed) }),
    };
    const finish = (bytes: Uint8Array) =>
      metadata
        ? addPngText(bytes, { parameters: parametersText(embedded, settings.version), request: embedded })
        : bytes;
    const file = await saveMedia({ base64, kind: "image", count, names, finish }, target);
    if (!("path" in file)) return file;
    saved.push({ ...file, seed: seed ?? null, model, size: `${width}x${height}`, cost, request: shown });
  }
  return { saved };
}

function picturesOf(response: unknown): readonly { readonly base64: string; readonly seed: unknown }[] {
  const images = isRecord(response) && Array.isArray(response.images) ? response.images : [];
  const pictures = images.flatMap((entry) =>
    isRecord(entry) && typeof entry.image === "string"
      ? [{ base64: entry.image, seed: entry.random_seed ?? entry.seed }]
      : [],
  );
  if (pictures.length === 0) throw new EmptyResult("the response holds no picture");
  return pictures;
}
