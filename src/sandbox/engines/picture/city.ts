import { type Canvas, layBlock } from "./canvas.ts";
import { mix } from "./colour.ts";
import type { Scene } from "./scene.ts";
import type { Skyline } from "./skyline.ts";

/** Turns a skyline into roofs, in whole pixels; the nearest range stays a hill. */
export function buildHouses(canvas: Canvas, { random }: Scene, skyline: Skyline, nearness: number): void {
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

/** Lights windows in the houses below a skyline: more at night, more in near houses. */
export function lightWindows(canvas: Canvas, scene: Scene, skyline: Skyline, nearness: number): void {
  if (nearness === 1) return;
  const { palette, random, detail } = scene;
  const unit = Math.min(canvas.width, canvas.height);
  const size = Math.max(1, Math.round(unit * 0.0045 * (0.6 + nearness)));
  const lit = (palette.night ? 0.2 : 0.08) + 0.03 * detail;
  const colour = mix(palette.light, [255, 196, 92], 0.45);
  for (let left = size; left < canvas.width - size; left += size * 3) {
    const roof = Math.max(skyline[left - size] ?? 0, skyline[left] ?? 0, skyline[left + 2 * size] ?? 0);
    for (let top = roof + size * 2; top < roof + unit * 0.3; top += size * 4) {
      if (random.between(0, 1) > lit) continue;
      const block = { left, top, width: size, height: size * 2 };
      layBlock(canvas, block, colour, random.between(0.2, 0.9) * (0.35 + 0.5 * nearness));
    }
  }
}
