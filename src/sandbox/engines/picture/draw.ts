import { blankCanvas, type Canvas } from "./canvas.ts";
import { paintLand } from "./land.ts";
import { drawMark } from "./mark.ts";
import { blendReference } from "./reference.ts";
import { defaultStrength, type PictureRequest } from "./request.ts";
import { compose, identify } from "./scene.ts";
import { paintSky } from "./sky.ts";
import { paintWater } from "./water.ts";

/**
 * Draws the picture that a request describes (service sections 2.8 and 4.5). Returns an 8-bit RGB PNG of exactly
 * `width` by `height` pixels, marked SANDBOX. Equal requests give equal pixels on every machine, and
 * every field except `backend` affects them. With `image` the picture starts from that reference.
 *
 * @throws UnreadableReference if `image` cannot be decoded.
 */
export async function drawPicture(request: PictureRequest): Promise<Uint8Array> {
  const identity = identify(request);
  const canvas = blankCanvas(request.width, request.height);
  const scene = compose(identity, request);
  paintSky(canvas, scene);
  if (scene.subject === "lake") {
    paintLand(canvas, scene, 0, scene.ranges - 1);
    paintWater(canvas, scene);
    paintLand(canvas, scene, scene.ranges - 1, scene.ranges);
  } else {
    paintLand(canvas, scene, 0, scene.ranges);
  }
  if (request.image !== undefined)
    await blendReference(canvas, request.image, request.strength ?? defaultStrength);
  drawMark(canvas, `${request.model_name}  seed ${request.seed}  ${identity.fingerprint}`);
  return toPng(canvas);
}

/** Level 1 compresses the flat rows of a scene as well as higher levels, and is faster. */
async function toPng({ width, height, data }: Canvas): Promise<Uint8Array> {
  const { encode } = await import("fast-png");
  return encode(
    { width, height, data, channels: 3, depth: 8, text: { Software: "gpuctl sandbox" } },
    { zlib: { level: 1 } },
  );
}
