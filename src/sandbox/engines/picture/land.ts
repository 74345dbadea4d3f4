import { blendBlock, blendRowBelow, type Canvas, type Color, mix, type Steps } from "./canvas.ts";
import { noise, type Relief } from "./random.ts";
import { type Scene, type Subject, shore } from "./scene.ts";

/**
 * The top edge of a range of land (a row of hills, dunes or houses). For each column, it is the distance from the top
 * of the canvas in pixels.
 */
export type Skyline = Float64Array;

const reliefs: Record<Subject, Relief> = {
  lake: { octaves: 3, roughness: 0.48, sharp: true },
  forest: { octaves: 3, roughness: 0.5, sharp: true },
  dunes: { octaves: 1, roughness: 0.3, sharp: false },
  city: { octaves: 1, roughness: 0.4, sharp: false },
};

/** Paints a range of land; range 0 is the farthest. */
export function* paintLand(canvas: Canvas, scene: Scene, range: number): Steps {
  const nearness = range / (scene.ranges - 1);
  const skyline = shape(canvas, scene, range, nearness);
  yield;
  if (scene.subject === "city") buildHouses(canvas, scene, skyline, nearness);
  if (scene.subject === "forest" || scene.subject === "lake") plantTrees(canvas, scene, skyline, nearness);
  yield* fill(canvas, scene, skyline, nearness);
  if (scene.subject === "city") yield* lightWindows(canvas, scene, skyline, nearness);
}

/** The skyline of one range of land. */
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

/** Fills everything below a skyline, with an antialiased edge. The color becomes mistier towards the bottom. */
function* fill(canvas: Canvas, { palette }: Scene, skyline: Skyline, nearness: number): Steps {
  const { width, height } = canvas;
  const color = mix(palette.far, palette.near, nearness);
  const mist = mix(color, palette.horizon, 0.5 * (1 - nearness));
  const top = Math.max(0, Math.floor(skyline.reduce((a, b) => Math.min(a, b))));
  const solid = Math.ceil(skyline.reduce((a, b) => Math.max(a, b)));
  const depth = 0.24 * height;
  for (let y = top; y < height; y++) {
    const row: Color = mix(color, mist, Math.min(1, (y - top) / depth));
    if (y < solid) blendRowBelow(canvas, y, skyline, row);
    else blendBlock(canvas, { left: 0, top: y, width, height: 1 }, row);
    yield;
  }
}

/** Turns a skyline into rooftops on whole pixels; the nearest range stays a hill. */
function buildHouses(canvas: Canvas, { random }: Scene, skyline: Skyline, nearness: number): void {
  if (nearness === 1) return;
  const unit = Math.min(canvas.width, canvas.height);
  let left = 0;
  while (left < canvas.width) {
    const wide = Math.max(2, Math.round(unit * random.between(0.025, 0.07) * (0.7 + nearness)));
    const rise = random.between(0, 1);
    const roof = Math.round(
      (skyline[left] ?? 0) - unit * (0.02 + 0.24 * rise * rise * (1 - 0.35 * nearness)),
    );
    skyline.fill(roof, left, left + wide);
    const mast = random.between(0, 1) < 0.12 ? Math.round(unit * 0.035) : 0;
    const thick = Math.max(1, Math.round(unit * 0.002));
    if (mast > 0) skyline.fill(roof - mast, left + (wide >> 1), left + (wide >> 1) + thick);
    left += wide + (random.between(0, 1) < 0.25 ? Math.max(1, Math.round(unit * 0.006)) : 0);
  }
}

/** Lights windows in the houses below a skyline: more of them at night, larger ones in near houses. */
function* lightWindows(canvas: Canvas, scene: Scene, skyline: Skyline, nearness: number): Steps {
  if (nearness === 1) return;
  const { palette, random, detail } = scene;
  const unit = Math.min(canvas.width, canvas.height);
  const size = Math.max(1, Math.round(unit * 0.0045 * (0.6 + nearness)));
  const lit = (palette.night ? 0.2 : 0.08) + 0.03 * detail;
  const color = mix(palette.light, [255, 196, 92], 0.45);
  for (let left = size; left < canvas.width - size; left += size * 3) {
    const roof = Math.max(skyline[left - size] ?? 0, skyline[left] ?? 0, skyline[left + 2 * size] ?? 0);
    for (let top = roof + size * 2; top < roof + unit * 0.3; top += size * 4) {
      if (random.between(0, 1) > lit) continue;
      const block = { left, top, width: size, height: size * 2 };
      blendBlock(canvas, block, color, random.between(0.2, 0.9) * (0.35 + 0.5 * nearness));
    }
    yield;
  }
}

/** Adds a row of firs to a skyline. Only near ranges have trees. */
function plantTrees(canvas: Canvas, { detail, random }: Scene, skyline: Skyline, nearness: number): void {
  if (nearness < 0.45) return;
  const unit = Math.min(canvas.width, canvas.height);
  const tallest = unit * (0.02 + 0.1 * nearness * nearness);
  const bare = skyline.slice();
  const trees = Math.round((canvas.width / tallest) * (1.5 + 0.25 * detail));
  for (let tree = 0; tree < trees; tree++) {
    const middle = random.between(0, canvas.width);
    const tall = tallest * random.between(0.35, 1);
    const ground = bare[Math.floor(middle)] ?? 0;
    raise(skyline, middle, ground, tall);
  }
}

function raise(skyline: Skyline, middle: number, ground: number, tall: number): void {
  const half = tall * 0.2;
  const last = Math.min(skyline.length - 1, Math.ceil(middle + half));
  for (let x = Math.max(0, Math.floor(middle - half)); x <= last; x++) {
    const aside = Math.abs(x + 0.5 - middle) / half;
    if (aside >= 1) continue;
    const tier = Math.floor(aside * 4) / 4;
    const top = ground - tall * (1 - (aside * 0.55 + tier * 0.45));
    skyline[x] = Math.min(skyline[x] ?? 0, top);
  }
}
