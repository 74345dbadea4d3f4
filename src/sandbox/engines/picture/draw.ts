import { setImmediate } from "node:timers/promises";
import { encodePng } from "../../../core/pictures/encode.ts";
import { blankCanvas } from "./canvas.ts";
import { paintLand } from "./land.ts";
import { drawMark } from "./mark.ts";
import { blendReference } from "./reference.ts";
import { defaultStrength, type PictureRequest } from "./request.ts";
import { compose, identify } from "./scene.ts";
import { paintSky } from "./sky.ts";
import { paintWater } from "./water.ts";

/** The end of the last drawing. Drawings take turns: several at once would delay other requests by the sum of their times. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Draws the picture that a request describes (service sections 2.8 and 4.5). Returns an 8-bit RGB PNG of exactly
 * `width` by `height` pixels, marked SANDBOX. Equal requests give equal pixels on every machine, and
 * every field except `backend` affects them. With `image` the picture starts from that reference. Yields to the event loop
 * between steps.
 *
 * @throws UnreadableReference if `image` cannot be decoded.
 * @throws AbortError when `signal` is aborted.
 */
export function drawPicture(request: PictureRequest, signal?: AbortSignal): Promise<Uint8Array> {
  const drawing = last.then(() =>
    draw(request, () => setImmediate(undefined, { ...(signal && { signal }) })),
  );
  last = drawing.catch(() => {});
  return drawing;
}

async function draw(request: PictureRequest, pause: () => Promise<unknown>): Promise<Uint8Array> {
  await pause();
  const identity = identify(request);
  const canvas = blankCanvas(request.width, request.height);
  const scene = compose(identity, request);
  paintSky(canvas, scene);
  for (let range = 0; range < scene.ranges; range++) {
    await pause();
    if (scene.subject === "lake" && range === scene.ranges - 1) paintWater(canvas, scene);
    await pause();
    paintLand(canvas, scene, range, range + 1);
  }
  await pause();
  if (request.image !== undefined)
    await blendReference(canvas, request.image, request.strength ?? defaultStrength);
  drawMark(canvas, `${request.model_name}  seed ${request.seed}  ${identity.fingerprint}`);
  await pause();
  return encodePng(canvas, { Software: "gpuctl sandbox" });
}
