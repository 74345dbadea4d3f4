import type { Canvas } from "./canvas.ts";
import type { Scene } from "./scene.ts";
import type { Skyline } from "./skyline.ts";

/** Raises a skyline by a row of firs, in pixels; only near ranges have any. */
export function plantTrees(
  canvas: Canvas,
  { detail, random }: Scene,
  skyline: Skyline,
  nearness: number,
): void {
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
