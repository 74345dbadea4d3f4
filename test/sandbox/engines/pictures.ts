import { createHash } from "node:crypto";
import { decode } from "fast-png";
import { drawPicture } from "../../../src/sandbox/engines/picture/draw.ts";
import type { PictureRequest } from "../../../src/sandbox/engines/picture/request.ts";

/** A request for a small picture. Tests change some of its fields. */
export const small: PictureRequest = {
  model_name: "SDXL1.0-base",
  prompt: "a lighthouse by the sea",
  width: 160,
  height: 120,
  steps: 30,
  cfg_scale: 5,
  seed: 42,
};

export type Pixels = { width: number; height: number; data: Uint8Array };

/** The decoded pixels of a drawn picture, 8-bit RGB. */
export async function draw(request: Partial<PictureRequest> = {}): Promise<Pixels> {
  return pixelsOf(await drawPicture({ ...small, ...request }));
}

function pixelsOf(png: Uint8Array): Pixels {
  const { width, height, data, channels, depth } = decode(png, { checkCrc: true });
  if (channels !== 3 || depth !== 8) throw new Error(`not 8-bit RGB: ${channels} channels of ${depth}`);
  return { width, height, data: new Uint8Array(data) };
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The rows above the mark, which takes at most a quarter of the height. */
export function aboveMark({ width, height, data }: Pixels): Uint8Array {
  return data.subarray(0, width * Math.floor(height * 0.75) * 3);
}

/** The mean difference between the bytes of two arrays, 0-255. */
export function distance(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, value, at) => sum + Math.abs(value - (b[at] ?? 0)), 0) / a.length;
}
