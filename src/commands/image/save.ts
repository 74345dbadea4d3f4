import { readFile } from "node:fs/promises";
import { restoredWithRepeated } from "../../client/divert.ts";
import type { Context } from "../../command-kit/context.ts";
import type { InputOf } from "../../contract/index.ts";
import { EmptyResult, type FailedItem, ResultTruncated, saveFailed } from "../../core/errors.ts";
import { scalarText } from "../../core/json.ts";
import type { Redactor } from "../../core/redact.ts";
import { receivedJson } from "../../core/responses/success.ts";
import type { Received } from "../../core/service-errors.ts";
import { dollarNumber, type Money } from "../../core/values/money.ts";
import { type ArrivingMedia, picturesIn, seedIn } from "../../media/arriving.ts";
import { folderOf } from "../../media/destination.ts";
import {
  type Decoded,
  type OutputTarget,
  type SavedFile,
  saveElsewhere,
  saveMedia,
  warnOfFormat,
} from "../../media/output-target.ts";
import { storedSettings, textOf } from "../../media/settings/parameters.ts";

type Input = InputOf<"generateImage">;

export interface SaveOptions {
  /** How many pictures are requested in all. */
  readonly count: number;
  /** The price of one picture; undefined if unknown. */
  readonly cost: Money | undefined;
  readonly target: OutputTarget;
  /** Whether to write the settings into the pictures. */
  readonly metadata: boolean;
}

/** The result of one request. */
export interface Generated {
  readonly saved: readonly (SavedFile & Readonly<Record<string, unknown>>)[];
  readonly failures: readonly FailedItem[];
  /** The picture for `--out -`. */
  readonly printed?: Uint8Array | undefined;
  /** The first error if every picture of the response is unusable or could not be saved; otherwise undefined. */
  readonly unusable: unknown;
}

export const pictureName = (index: number): string => `image ${index + 1}`;

interface ReceivedResponse {
  readonly response: unknown;
  /** The pictures of the response, in its order. */
  readonly arriving: readonly ArrivingMedia[];
  readonly request: Input;
  /** The index of the request. */
  readonly index: number;
}

/**
 * Saves the pictures of a response. If a picture cannot be used, or cannot be saved where --out says, the others are
 * still saved.
 */
export async function savePictures(
  { response, arriving, request, index }: ReceivedResponse,
  { count, cost, target, metadata }: SaveOptions,
  { redactor, serviceNow, settings, say }: Pick<Context, "redactor" | "serviceNow" | "settings" | "say">,
): Promise<Generated> {
  const saved: Generated["saved"][number][] = [];
  const failures: FailedItem[] = [];
  let printed: Uint8Array | undefined;
  let areTruncated = false;
  const { image: _, ...shown } = request;
  const stored = metadata ? await storedSettings(request) : undefined;
  const { prompt, model_name: model, width, height } = request;
  const pictures = picturesIn(response, arriving);
  const isUnusable = pictures.map(({ media }) => typeof media === "string");
  // Copy the response before the settings are added to its pictures. Only the first error keeps the copy.
  const received = isUnusable.includes(true) ? receivedWith(response, arriving, redactor) : undefined;
  for (const [at, { media, entry }] of pictures.entries()) {
    const seed = seedIn(entry) ?? request.seed;
    const names = {
      date: new Date(serviceNow()),
      prompt: scalarText(prompt),
      fallback: "picture",
      model: textOf(model),
      index: index + 1,
      seed: /^-?\d+$/.test(scalarText(seed)) ? seed : undefined,
    };
    const name = count > 1 && pictures.length === 1 ? pictureName(index) : pictureName(index + at);
    if (typeof media === "string") {
      failures.push({
        name,
        error: new EmptyResult(media, at === isUnusable.indexOf(true) ? received : undefined),
      });
      continue;
    }
    try {
      const picture = media.finish(
        { kind: "image", count, names },
        stored && {
          request: seed === undefined ? stored : { ...stored, seed },
          version: settings.version,
        },
      );
      if (target.to.kind === "stdout" && printed === undefined && !picture.isTruncated) {
        printed = await readFile(picture.file.path);
        warnOfFormat(picture, "written unchanged", say);
        continue;
      }
      const { file, problem } = await savePicture(picture, target, await media.flushFailure());
      if (problem) failures.push({ name, error: problem });
      if (problem instanceof ResultTruncated) {
        areTruncated = true;
        continue;
      }
      saved.push({
        ...file,
        seed: seed ?? null,
        model,
        size: `${textOf(width)}x${textOf(height)}`,
        cost: cost === undefined ? null : dollarNumber(cost),
        request: shown,
      });
    } catch (error) {
      failures.push({ name, error });
    }
  }
  const areLost = failures.length === pictures.length && saved.length === 0 && !areTruncated;
  return { saved, failures, printed, unusable: areLost ? failures[0]?.error : undefined };
}

/** Returns the response with its pictures, so that it can be kept. */
function receivedWith(
  response: unknown,
  arriving: readonly ArrivingMedia[],
  redactor: Pick<Redactor, "redact">,
): Received {
  const { bytes, complete } = receivedJson(response);
  return { bytes: restoredWithRepeated(bytes, arriving, redactor), complete };
}

/**
 * Saves a picture. If `flushFailure` says that its temporary file could not be flushed to the disk, saves the picture
 * in another folder. For `--out -`, `savePictures` handles the picture that goes to stdout: the first one that is not
 * truncated. This function saves the others as files, and only a truncated picture then counts as a failure.
 */
async function savePicture(
  picture: Decoded,
  target: OutputTarget,
  flushFailure: Error | undefined,
): Promise<{ readonly file: SavedFile; readonly problem?: Error }> {
  const { to } = target;
  if (to.kind !== "stdout") {
    return flushFailure
      ? saveElsewhere(picture, saveFailed(folderOf(to), flushFailure).message, target)
      : saveMedia(picture, { ...target, to });
  }
  const { file, problem } = await saveElsewhere(picture, "Standard output takes only one image", target);
  if (problem instanceof ResultTruncated) return { file, problem };
  target.say(problem.message);
  return { file };
}
