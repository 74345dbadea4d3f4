import type { Canvas } from "./canvas.ts";
import { decodeReference } from "./decode.ts";
import { resize } from "./resize.ts";

/** What stays of the reference at full strength: nearly all is new, yet one still tells where it came from. */
const remainder = 0.05;

/**
 * Makes a canvas start from a reference picture, base64 of a PNG, JPEG or WebP stretched over the whole
 * canvas: at strength 0 the canvas is the reference, and the higher the strength (to 1) the more of what
 * was drawn before shows through.
 *
 * @throws UnreadableReference when the reference cannot be decoded.
 */
export async function startFrom(canvas: Canvas, image: string, strength: number): Promise<void> {
  const reference = resize(await decodeReference(image), canvas.width, canvas.height);
  const { data } = canvas;
  const drawn = strength * (1 - remainder);
  for (let at = 0; at < data.length; at++) {
    data[at] = (data[at] ?? 0) * drawn + (reference.data[at] ?? 0) * (1 - drawn);
  }
}
