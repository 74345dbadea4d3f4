import { inflateSync } from "node:zlib";
import type { Pixels } from "./jsquash.ts";

/** RGB pixels in rows from the top, three bytes each. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

type Kind = "PNG" | "JPEG" | "WebP";

/** The format of a picture that can be decoded, by its first bytes; undefined for any other file. */
export function pictureKind(bytes: Uint8Array): Kind | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "PNG";
  if (head.startsWith("\xff\xd8\xff")) return "JPEG";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "WebP" : undefined;
}

/** Whether a text has only characters of base64, without line breaks. */
export const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text);

/**
 * Decodes a PNG, JPEG or WebP, with transparency flattened onto white. The decoders are loaded on first use. Throws an
 * error with a short reason if the file has another format, is broken, or has too many pixels.
 */
export async function decodePicture(
  bytes: Uint8Array,
  { maxPixels }: { readonly maxPixels: number },
): Promise<Picture> {
  const kind = pictureKind(bytes);
  if (kind === undefined) throw new Error("it is not a PNG, JPEG or WebP image");
  await assertPixels(bytes, maxPixels);
  return flatten(await decoders[kind](bytes));
}

/**
 * Throws if a picture has too many pixels. This is checked before decoding, because the header of a small file may
 * declare more pixels than fit in memory.
 */
async function assertPixels(bytes: Uint8Array, maxPixels: number): Promise<void> {
  const { imageSize } = await import("image-size");
  const { width, height } = imageSize(bytes);
  if (width * height > maxPixels) throw new Error(`${width}x${height} is too large`);
  if (pictureKind(bytes) === "PNG" && isSlow(bytes) && width * height > maxPixels / slowPngShare) {
    throw new Error(`${width}x${height} is too large for an interlaced or 16-bit image`);
  }
}

/**
 * The pixel limit is divided by this number for an interlaced or 16-bit PNG, which takes several times as much time and
 * memory to decode.
 */
export const slowPngShare = 4;

const isSlow = (png: Uint8Array): boolean => {
  const { depth, interlace } = pngHeader(png);
  return interlace !== 0 || depth > 8;
};

/** The fields of the first chunk of a PNG. Throws if the file is too short. */
function pngHeader(png: Uint8Array) {
  const view = Buffer.from(png.buffer, png.byteOffset, png.length);
  if (view.length <= 28) throw new Error("it is cut off");
  return {
    width: view.readUInt32BE(16),
    height: view.readUInt32BE(20),
    depth: view.readUInt8(24),
    interlace: view.readUInt8(28),
  };
}

/** Decoded pixels, one number per channel: gray or RGB, with or without alpha. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly data: ArrayLike<number>;
  readonly channels: number;
  readonly maximum: number;
}

const decoders: Readonly<Record<Kind, (bytes: Uint8Array) => Promise<Decoded>>> = {
  PNG: async (bytes) => {
    const { convertIndexedToRgb, decode } = await import("fast-png");
    const { png: file, pixels } = pixelsOnly(bytes);
    assertInflatesToPixels(file, pixels);
    const png = decode(file, { checkCrc: true });
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
  JPEG: async (bytes) => rgba(await (await import("./jsquash.ts")).decodeJpeg(bufferOf(bytes))),
  WebP: async (bytes) => rgba(await (await import("./jsquash.ts")).decodeWebp(bufferOf(bytes))),
};

/** Copies the bytes, because a `Buffer` may be a view of a larger one. */
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

const rgba = ({ width, height, data }: Pixels): Decoded => ({
  width,
  height,
  data,
  channels: 4,
  maximum: 255,
});

/** The chunks that hold the pixels. Other chunks, such as a color profile, may inflate to gigabytes when decoded. */
const pixelChunks: readonly string[] = ["IHDR", "PLTE", "tRNS", "IDAT"];

/**
 * Returns a PNG with only the chunks that hold its pixels, and its compressed pixels. Throws if the PNG does not start
 * with a header or has more than one.
 */
function pixelsOnly(bytes: Uint8Array): { readonly png: Uint8Array; readonly pixels: Uint8Array } {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const kept: Buffer[] = [view.subarray(0, 8)];
  const pixels: Buffer[] = [];
  for (let at = 8; at + 8 <= view.length; ) {
    const length = view.readUInt32BE(at);
    const type = view.toString("latin1", at + 4, at + 8);
    if ((type === "IHDR") !== (at === 8)) throw new Error("it needs one header, at its start");
    if (pixelChunks.includes(type)) kept.push(view.subarray(at, at + 12 + length));
    if (type === "IDAT") pixels.push(view.subarray(at + 8, at + 8 + length));
    if (type === "IEND") kept.push(view.subarray(at, at + 12 + length));
    if (type === "IEND") break;
    at += 12 + length;
  }
  return { png: new Uint8Array(Buffer.concat(kept)), pixels: Buffer.concat(pixels) };
}

/**
 * Throws if the compressed pixels inflate to more bytes than the picture can have. `decode` has no such limit, and a
 * few kilobytes can inflate to gigabytes.
 */
function assertInflatesToPixels(png: Uint8Array, pixels: Uint8Array): void {
  const { width, height } = pngHeader(png);
  // A pixel has at most four channels of 16 bits. Each row has a filter byte, and an interlaced picture has almost
  // twice as many rows.
  const maxOutputLength = width * height * 8 + height * 2 + 16;
  inflateSync(pixels, { maxOutputLength });
}

function flatten({ width, height, data, channels, maximum }: Decoded): Picture {
  const flat = new Uint8ClampedArray(width * height * 3);
  const colors = channels < 3 ? 1 : 3;
  if (data.length !== width * height * channels) throw new Error("its pixels are incomplete");
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = pixel * channels;
    const cover = colors === channels ? 1 : (data[from + colors] ?? 0) / maximum;
    for (let part = 0; part < 3; part++) {
      const value = ((data[from + (part % colors)] ?? 0) / maximum) * 255;
      flat[pixel * 3 + part] = value * cover + 255 * (1 - cover);
    }
  }
  return { width, height, data: flat };
}
