import { blendBlock, type Canvas, copyRow, mix, type Steps } from "./canvas.ts";
import { noise } from "./random.ts";
import { type Scene, shore } from "./scene.ts";

/** Turns everything below the shore into water that reflects what is above. */
export function* paintWater(canvas: Canvas, scene: Scene): Steps {
  const { width, height } = canvas;
  const { palette, random, detail } = scene;
  const unit = Math.min(width, height);
  const top = Math.round(shore * height);
  const seed = random.integer();
  const relief = { octaves: detail, roughness: 0.6, sharp: false };
  for (let y = top; y < height; y++) {
    const away = (y - top) / unit;
    const mirrored = Math.max(0, top - 1 - Math.floor((y - top) * 1.15));
    const shift = Math.round(
      (noise(seed, 14 * Math.sqrt(away + 0.002) * 8, relief) - 0.5) * away * 0.18 * unit,
    );
    const tint = mix(palette.horizon, palette.near, Math.min(1, 0.35 + away * 1.6));
    copyRow(canvas, mirrored, y, shift);
    const cover = Math.min(0.6, 0.22 + away * 0.5);
    blendBlock(canvas, { left: 0, top: y, width, height: 1 }, tint, cover);
    yield;
  }
  paintGlints(canvas, scene, top);
}

/** Short bright lines on the water, most of them below the sun or moon. */
function paintGlints(canvas: Canvas, scene: Scene, top: number): void {
  const { palette, light, random, detail } = scene;
  const { width, height } = canvas;
  const unit = Math.min(width, height);
  const thick = Math.max(1, Math.round(unit * 0.0018));
  for (let glint = 0; glint < 20 + 12 * detail; glint++) {
    const away = random.between(0, 1);
    const spread = (random.between(-1, 1) + random.between(-1, 1)) * (0.04 + 0.2 * away);
    const half = random.between(0.008, 0.04) * unit * (0.4 + away);
    const left = Math.max(0, Math.round((light.x + spread) * width - half));
    const right = Math.min(width, Math.round((light.x + spread) * width + half));
    const first = Math.round(top + away * away * 0.3 * unit);
    const cover = random.between(0.1, 0.45);
    const block = { left, top: first, width: right - left, height: thick };
    blendBlock(canvas, block, palette.light, cover);
  }
}
