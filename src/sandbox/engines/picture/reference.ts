import { reasonOf } from "../../../core/errors.ts";
import { decodePicture, isBase64, pictureKind, slowPngShare } from "../../../core/pictures/decode.ts";
import { blankCanvas, type Canvas, type Steps } from "./canvas.ts";
import { referenceSide, UnreadableReference } from "./request.ts";

/** How much of the reference remains at full strength: just enough to recognize it. */
const remainder = 0.05;

/**
 * Stretches a reference picture to the size of a canvas, and blends it into the canvas. At strength 0, the canvas
 * becomes the reference; higher strengths, up to 1, keep more of what was drawn.
 */
export function* blendReference(canvas: Canvas, picture: Canvas, strength: number): Steps {
  const reference = yield* resize(picture, canvas.width, canvas.height);
  const { data, width } = canvas;
  const drawn = strength * (1 - remainder);
  for (let row = 0; row < data.length; row += width * 3) {
    for (let at = row; at < row + width * 3; at++) {
      data[at] = (data[at] ?? 0) * drawn + (reference.data[at] ?? 0) * (1 - drawn);
    }
    yield;
  }
}

/** Resizes a picture with bilinear interpolation. */
function* resize(picture: Canvas, width: number, height: number): Generator<void, Canvas> {
  if (picture.width === width && picture.height === height) return picture;
  const resized = blankCanvas(width, height);
  const columns = weigh(picture.width, width);
  const rows = weigh(picture.height, height);
  const { data } = picture;
  let to = 0;
  for (const row of rows) {
    const upper = row.first * picture.width;
    const lower = row.second * picture.width;
    for (const column of columns) {
      for (let part = 0; part < 3; part++) {
        const a = data[(upper + column.first) * 3 + part] ?? 0;
        const b = data[(upper + column.second) * 3 + part] ?? 0;
        const c = data[(lower + column.first) * 3 + part] ?? 0;
        const d = data[(lower + column.second) * 3 + part] ?? 0;
        const above = a + (b - a) * column.share;
        const below = c + (d - c) * column.share;
        resized.data[to++] = above + (below - above) * row.share;
      }
    }
    yield;
  }
  return resized;
}

/** For each new position along one axis: the two old positions around its center, and the weight of the second. */
function weigh(from: number, to: number): { first: number; second: number; share: number }[] {
  return Array.from({ length: to }, (_, position) => {
    const at = Math.min(from - 1, Math.max(0, ((position + 0.5) * from) / to - 0.5));
    const first = Math.floor(at);
    return { first, second: Math.min(from - 1, first + 1), share: at - first };
  });
}

const maxPixels = referenceSide ** 2;

/** Like `referenceSide`, but for an interlaced or 16-bit PNG. */
export const slowPngSide = Math.sqrt(maxPixels / slowPngShare);

/**
 * Decodes a base64 PNG, JPEG or WebP, detected by its first bytes, with transparency flattened onto white.
 *
 * @throws UnreadableReference if it is not valid base64, has another format, is broken or is too large.
 */
export async function decodeReference(base64: string): Promise<Canvas> {
  if (!isBase64(base64)) throw new UnreadableReference("The reference is not valid base64.");
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  const kind = pictureKind(bytes);
  if (kind === undefined) throw new UnreadableReference("The reference is not a PNG, JPEG or WebP picture.");
  try {
    return await decodePicture(bytes, { maxPixels });
  } catch (error) {
    throw new UnreadableReference(`The reference ${kind} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
