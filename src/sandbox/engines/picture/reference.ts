import { inflateSync } from "node:zlib";
import { reasonOf } from "../../../core/errors.ts";
import { blankCanvas, type Canvas } from "./canvas.ts";
import type { Pixels } from "./jsquash.ts";
import { referenceSide, UnreadableReference } from "./request.ts";

/** How much of the reference remains at full strength: just enough to recognize it. */
const remainder = 0.05;

/**
 * Blends a reference picture (base64 of a PNG, JPEG or WebP, stretched to the canvas) into a canvas. At strength 0 the
 * canvas becomes the reference; higher strengths, up to 1, keep more of what was drawn.
 *
 * @throws UnreadableReference if the reference cannot be decoded.
 */
export async function blendReference(canvas: Canvas, image: string, strength: number): Promise<void> {
  const reference = resize(await decodeReference(image), canvas.width, canvas.height);
  const { data } = canvas;
  const drawn = strength * (1 - remainder);
  for (let at = 0; at < data.length; at++) {
    data[at] = (data[at] ?? 0) * drawn + (reference.data[at] ?? 0) * (1 - drawn);
  }
}

/** Resizes a picture with bilinear interpolation. */
function resize(picture: Canvas, width: number, height: number): Canvas {
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

/** Decoded pixels, one number per channel: gray or RGB, with or without alpha. */
type Decoded = { width: number; height: number; data: ArrayLike<number>; channels: number; maximum: number };

/**
 * Decodes a base64 PNG, JPEG or WebP, detected by its first bytes, with transparency flattened onto white.
 *
 * @throws UnreadableReference if it has another format, is broken or is too large.
 */
async function decodeReference(base64: string): Promise<Canvas> {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw new UnreadableReference("The reference is not valid base64.");
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  const kind = sniff(bytes);
  if (kind === undefined) throw new UnreadableReference("The reference is not a PNG, JPEG or WebP picture.");
  try {
    await checkSize(bytes);
    return flatten(await decoders[kind](bytes));
  } catch (error) {
    throw new UnreadableReference(`The reference ${kind} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function sniff(bytes: Uint8Array): keyof typeof decoders | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "PNG";
  if (head.startsWith("\xff\xd8\xff")) return "JPEG";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "WebP" : undefined;
}

const decoders = {
  PNG: async (bytes: Uint8Array<ArrayBuffer>): Promise<Decoded> => {
    const { convertIndexedToRgb, decode } = await import("fast-png");
    assertInflatesToPixels(bytes);
    const png = decode(bytes, { checkCrc: true });
    const { width, height, channels, depth } = png;
    if (png.palette === undefined && depth >= 8) {
      return { width, height, data: png.data, channels, maximum: depth === 16 ? 65535 : 255 };
    }
    const shades = 2 ** depth;
    const grays = Array.from({ length: shades }, (_, shade) => [Math.round((255 * shade) / (shades - 1))]);
    const palette = png.palette ?? grays;
    const data = convertIndexedToRgb({ ...png, palette });
    return { width, height, data, channels: palette[0]?.length ?? 1, maximum: 255 };
  },
  JPEG: async ({ buffer }: Uint8Array<ArrayBuffer>): Promise<Decoded> =>
    rgba(await (await import("./jsquash.ts")).decodeJpeg(buffer)),
  WebP: async ({ buffer }: Uint8Array<ArrayBuffer>): Promise<Decoded> =>
    rgba(await (await import("./jsquash.ts")).decodeWebp(buffer)),
};

const rgba = ({ width, height, data }: Pixels): Decoded => ({
  width,
  height,
  data,
  channels: 4,
  maximum: 255,
});

/** Checked before decoding: the header of a small file may declare more pixels than fit in memory. */
/** `decode` inflates without a limit, and a few kilobytes can inflate to gigabytes. */
function assertInflatesToPixels(bytes: Uint8Array): void {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [width, height] = [view.readUInt32BE(16), view.readUInt32BE(20)];
  const pixels: Uint8Array[] = [];
  for (let at = 8; at + 8 <= view.length; ) {
    const length = view.readUInt32BE(at);
    if (view.toString("latin1", at + 4, at + 8) === "IDAT")
      pixels.push(view.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  // At most four channels of 16 bits, and a filter byte for each row, of which an interlaced picture has almost twice as many.
  const maxOutputLength = width * height * 8 + height * 2 + 16;
  inflateSync(Buffer.concat(pixels), { maxOutputLength });
}

async function checkSize(bytes: Uint8Array): Promise<void> {
  const { imageSize } = await import("image-size");
  const { width, height } = imageSize(bytes);
  if (width * height > maxPixels) throw new Error(`${width}x${height} is too large`);
}

function flatten({ width, height, data, channels, maximum }: Decoded): Canvas {
  const canvas = blankCanvas(width, height);
  const colors = channels < 3 ? 1 : 3;
  if (data.length !== width * height * channels) throw new Error("its pixels are incomplete");
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = pixel * channels;
    const cover = colors === channels ? 1 : (data[from + colors] ?? 0) / maximum;
    for (let part = 0; part < 3; part++) {
      const value = ((data[from + (part % colors)] ?? 0) / maximum) * 255;
      canvas.data[pixel * 3 + part] = value * cover + 255 * (1 - cover);
    }
  }
  return canvas;
}
