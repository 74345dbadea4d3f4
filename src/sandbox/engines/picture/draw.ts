import { setImmediate } from "node:timers/promises";
import { encodePngInBackground } from "../../../core/pictures/encode.ts";
import { blankCanvas, type Canvas, type Steps } from "./canvas.ts";
import { paintLand } from "./land.ts";
import { drawMark } from "./mark.ts";
import { blendReference, decodeReference } from "./reference.ts";
import { defaultStrength, type PictureRequest } from "./request.ts";
import { compose, identify } from "./scene.ts";
import { paintSky } from "./sky.ts";
import { paintWater } from "./water.ts";

/**
 * Resolves when the last drawing ends. Drawings run one after the other: several at once would delay other requests by
 * the sum of their turns.
 */
let last: Promise<unknown> = Promise.resolve();

/** How long a drawing runs before it lets other requests be handled, in milliseconds. */
const turnMs = 10;

/**
 * Draws the picture that a request describes (service sections 2.8 and 4.5). Returns an 8-bit RGB PNG of exactly
 * `width` by `height` pixels, marked SANDBOX. Equal requests give equal pixels on every machine, and every field except
 * `backend` affects them. If there is an `image`, it is blended into the picture. Other requests can be handled while a
 * picture is drawn.
 *
 * @throws UnreadableReference if `image` cannot be decoded.
 * @throws AbortError when `signal` is aborted.
 */
export function drawPicture(request: PictureRequest, signal?: AbortSignal): Promise<Uint8Array> {
  const drawing = last.then(() => draw(request, signal));
  last = drawing.catch(() => {});
  return drawing;
}

async function draw(request: PictureRequest, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const pause = () => setImmediate(undefined, { ...(signal && { signal }) });
  await pause();
  const reference = request.image === undefined ? undefined : await decodeReference(request.image);
  const canvas = blankCanvas(request.width, request.height);
  let turnStart = performance.now();
  for (const _ of paintPicture(canvas, request, reference)) {
    if (performance.now() - turnStart < turnMs) continue;
    await pause();
    turnStart = performance.now();
  }
  await pause();
  return encodePngInBackground(canvas, { Software: "gpuctl sandbox" });
}

/** Paints the picture, and yields often so that other requests can be handled. */
function* paintPicture(canvas: Canvas, request: PictureRequest, reference: Canvas | undefined): Steps {
  const identity = identify(request);
  const scene = compose(identity, request);
  yield* paintSky(canvas, scene);
  for (let range = 0; range < scene.ranges; range++) {
    if (scene.subject === "lake" && range === scene.ranges - 1) yield* paintWater(canvas, scene);
    yield* paintLand(canvas, scene, range);
  }
  if (reference) yield* blendReference(canvas, reference, request.strength ?? defaultStrength);
  drawMark(canvas, `${request.model_name}  seed ${request.seed}  ${identity.fingerprint}`);
}
