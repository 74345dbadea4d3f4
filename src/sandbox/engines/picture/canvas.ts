import type { Colour } from "./colour.ts";

/** Pixels in rows from the top, three bytes each: red, green, blue. A stored number is rounded and clamped. */
export type Canvas = { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray };

/** A rectangle in whole pixels. */
export type Block = { left: number; top: number; width: number; height: number };

/** A black canvas; width and height in pixels. */
export function blankCanvas(width: number, height: number): Canvas {
  return { width, height, data: new Uint8ClampedArray(width * height * 3) };
}

/** Lays a colour over the pixel that begins at byte `at`; `cover` from 0, nothing, to 1, opaque. */
export function lay(data: Uint8ClampedArray, at: number, colour: Colour, cover: number): void {
  if (cover >= 1) {
    data[at] = colour[0];
    data[at + 1] = colour[1];
    data[at + 2] = colour[2];
    return;
  }
  const keep = 1 - cover;
  data[at] = (data[at] ?? 0) * keep + colour[0] * cover;
  data[at + 1] = (data[at + 1] ?? 0) * keep + colour[1] * cover;
  data[at + 2] = (data[at + 2] ?? 0) * keep + colour[2] * cover;
}

/** Lays a colour over a rectangle, clipped to the canvas. */
export function layBlock({ width, height, data }: Canvas, block: Block, colour: Colour, cover = 1): void {
  const left = Math.max(0, block.left);
  const right = Math.min(width, block.left + block.width);
  const bottom = Math.min(height, block.top + block.height);
  for (let y = Math.max(0, block.top); y < bottom; y++) {
    for (let x = left; x < right; x++) lay(data, (y * width + x) * 3, colour, cover);
  }
}
