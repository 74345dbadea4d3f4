import { type Canvas, lay } from "./canvas.ts";
import { buildHouses, lightWindows } from "./city.ts";
import { type Colour, mix } from "./colour.ts";
import { noise, type Relief } from "./noise.ts";
import { type Scene, type Subject, shore } from "./scene.ts";
import type { Skyline } from "./skyline.ts";
import { plantTrees } from "./trees.ts";

const reliefs: Record<Subject, Relief> = {
  lake: { octaves: 3, roughness: 0.48, sharp: true },
  forest: { octaves: 3, roughness: 0.5, sharp: true },
  dunes: { octaves: 1, roughness: 0.3, sharp: false },
  city: { octaves: 1, roughness: 0.4, sharp: false },
};

/** Paints the ranges of land from the farthest to the nearest, those from `first` to before `end`. */
export function paintLand(canvas: Canvas, scene: Scene, first: number, end: number): void {
  for (let range = first; range < end; range++) {
    const nearness = range / (scene.ranges - 1);
    const skyline = shape(canvas, scene, range, nearness);
    if (scene.subject === "city") buildHouses(canvas, scene, skyline, nearness);
    if (scene.subject === "forest" || scene.subject === "lake") plantTrees(canvas, scene, skyline, nearness);
    fill(canvas, scene, skyline, nearness);
    if (scene.subject === "city") lightWindows(canvas, scene, skyline, nearness);
  }
}

function shape(canvas: Canvas, scene: Scene, range: number, nearness: number): Skyline {
  const { width, height } = canvas;
  const unit = Math.min(width, height);
  const base = reliefs[scene.subject];
  const relief = {
    ...base,
    octaves: base.octaves + (base.sharp ? scene.detail : Math.floor(scene.detail / 3)),
    sharp: base.sharp && nearness < 0.6,
  };
  const swing = (base.sharp ? 0.3 - 0.17 * nearness : 0.13) * unit;
  const lowest = scene.subject === "lake" && nearness < 1 ? shore : 0.97;
  const foot = (scene.horizon + (lowest - scene.horizon) * nearness) * height;
  const seed = scene.land + range * 7919;
  return Float64Array.from({ length: width }, (_, x) => {
    const at = (x / unit) * (1.3 + 0.5 * nearness) + range * 17.3;
    return foot - swing * noise(seed, at, relief);
  });
}

/** Fills everything below a skyline, mistier towards its foot, with a smooth edge. */
function fill(canvas: Canvas, { palette }: Scene, skyline: Skyline, nearness: number): void {
  const { width, height, data } = canvas;
  const colour = mix(palette.far, palette.near, nearness);
  const mist = mix(colour, palette.horizon, 0.5 * (1 - nearness));
  const top = Math.max(0, Math.floor(skyline.reduce((a, b) => Math.min(a, b))));
  const depth = 0.24 * height;
  for (let y = top; y < height; y++) {
    const row: Colour = mix(colour, mist, Math.min(1, (y - top) / depth));
    for (let x = 0; x < width; x++) {
      const cover = y + 1 - (skyline[x] ?? 0);
      if (cover > 0) lay(data, (y * width + x) * 3, row, Math.min(1, cover));
    }
  }
}
