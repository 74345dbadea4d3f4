import type { Context } from "../../context/context.ts";
import { parametersText } from "../../media/parameters-text.ts";
import { addPngText } from "../../media/png-text.ts";
import type { Bytes } from "../../output/answer.ts";
import { UselessAnswer } from "../errors.ts";
import { type Landed, type Landing, land } from "../shared/landing.ts";
import { isRecord } from "../shared/records.ts";

export interface Drawn {
  readonly answer: unknown;
  readonly request: Readonly<Record<string, unknown>>;
  /** Which of how many pictures this is, from 1. */
  readonly index: number;
  readonly count: number;
  /** Dollars. */
  readonly cost: number;
}

export interface Saved extends Landed {
  readonly seed: unknown;
  readonly model: unknown;
  readonly size: string;
  readonly cost: number;
  readonly request: Readonly<Record<string, unknown>>;
}

/** Saves every picture of an answer; with `--out -` gives the first one's bytes instead. */
export async function savePictures(
  { answer, request, index, count, cost }: Drawn,
  landing: Landing,
  { settings, serviceNow }: Pick<Context, "settings" | "serviceNow">,
): Promise<{ readonly saved: readonly Saved[] } | Bytes> {
  const saved: Saved[] = [];
  for (const { base64, seed: reported } of picturesOf(answer)) {
    const seed = reported ?? request.seed;
    const settled = seed === undefined ? request : { ...request, seed };
    const landed = await land(base64, landing, {
      kind: "image",
      count,
      names: {
        date: new Date(serviceNow()),
        prompt: String(request.prompt),
        fallback: "picture",
        model: String(request.model_name),
        index,
        ...(seed !== undefined && { seed: Number(seed) }),
      },
      finish: (bytes) => (landing.metadata ? withSettings(bytes, settled, settings.version) : bytes),
    });
    if (!("path" in landed)) return landed;
    const { image: _, ...told } = request;
    const size = `${request.width}x${request.height}`;
    saved.push({ ...landed, seed: seed ?? null, model: request.model_name, size, cost, request: told });
  }
  return { saved };
}

function picturesOf(answer: unknown): readonly { base64: string; seed: unknown }[] {
  const images = isRecord(answer) && Array.isArray(answer.images) ? answer.images : [];
  const pictures = images.flatMap((entry) =>
    isRecord(entry) && typeof entry.image === "string"
      ? [{ base64: entry.image, seed: entry.random_seed ?? entry.seed }]
      : [],
  );
  if (pictures.length === 0) throw new UselessAnswer("the answer holds no picture");
  return pictures;
}

/** The picture with its settings in it, when it is a PNG. */
const withSettings = (bytes: Uint8Array, request: Drawn["request"], version: string): Uint8Array =>
  addPngText(bytes, { parameters: parametersText(request, version), request });
