import { blankCanvas, type Canvas } from "./canvas.ts";
import { referenceSide } from "./request.ts";
import { UnreadableReference } from "./unreadable-reference.ts";

const mostPixels = referenceSide ** 2;

/** Decoded pixels: one number a channel, grey or red-green-blue, with or without an alpha after it. */
type Decoded = { width: number; height: number; data: ArrayLike<number>; channels: number; maximum: number };

/**
 * The pixels of a base64 PNG, JPEG or WebP, told apart by its bytes and laid over white where it is
 * transparent.
 *
 * @throws UnreadableReference when it is none of these, or broken, or too large.
 */
export async function decodeReference(base64: string): Promise<Canvas> {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new UnreadableReference("The reference is not base64.");
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  const kind = sniff(bytes);
  if (kind === undefined) throw new UnreadableReference("The reference is not a PNG, JPEG or WebP picture.");
  try {
    return flatten(await decoders[kind](bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadableReference(`The reference ${kind} cannot be read: ${reason}`, { cause: error });
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
    const header = new DataView(bytes.buffer, bytes.byteOffset);
    checkSize(header.getUint32(16), header.getUint32(20));
    const png = decode(bytes, { checkCrc: true });
    const { width, height, channels, depth } = png;
    if (png.palette === undefined && depth >= 8) {
      return { width, height, data: png.data, channels, maximum: depth === 16 ? 65535 : 255 };
    }
    const shades = 2 ** depth;
    const greys = Array.from({ length: shades }, (_, shade) => [Math.round((255 * shade) / (shades - 1))]);
    const palette = png.palette ?? greys;
    const data = convertIndexedToRgb({ ...png, palette });
    return { width, height, data, channels: palette[0]?.length ?? 1, maximum: 255 };
  },
  JPEG: async (bytes: Uint8Array<ArrayBuffer>): Promise<Decoded> => {
    const { decode } = await import("jpeg-js");
    const jpeg = decode(bytes, { useTArray: true, maxResolutionInMP: mostPixels / 1e6 });
    return { ...jpeg, channels: 4, maximum: 255 };
  },
  WebP: async (bytes: Uint8Array<ArrayBuffer>): Promise<Decoded> => {
    const { decodeWebp } = await import("./webp.ts");
    return { ...(await decodeWebp(bytes)), channels: 4, maximum: 255 };
  },
};

function checkSize(width: number, height: number): void {
  if (width * height > mostPixels) throw new Error(`${width}x${height} is too large`);
}

function flatten({ width, height, data, channels, maximum }: Decoded): Canvas {
  const canvas = blankCanvas(width, height);
  const colours = channels < 3 ? 1 : 3;
  if (data.length !== width * height * channels) throw new Error("its pixels are incomplete");
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = pixel * channels;
    const cover = colours === channels ? 1 : (data[from + colours] ?? 0) / maximum;
    for (let part = 0; part < 3; part++) {
      const value = ((data[from + (part % colours)] ?? 0) / maximum) * 255;
      canvas.data[pixel * 3 + part] = value * cover + 255 * (1 - cover);
    }
  }
  return canvas;
}
