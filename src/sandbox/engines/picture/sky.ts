import { blendBlock, type Canvas, disc, mix, paint, type Steps, type Stroke } from "./canvas.ts";
import type { Scene } from "./scene.ts";

/** Paints the sky: gradient, stars or birds, sun or moon with a halo, and clouds. */
export function* paintSky(canvas: Canvas, scene: Scene): Steps {
  yield* paintGradient(canvas, scene);
  if (scene.palette.night) yield* paintStars(canvas, scene);
  yield* paintLight(canvas, scene);
  yield* paintClouds(canvas, scene);
  if (!scene.palette.night) yield* paintBirds(canvas, scene);
}

function* paintGradient(canvas: Canvas, { palette, horizon }: Scene): Steps {
  const { width, height } = canvas;
  for (let y = 0; y < height; y++) {
    const share = Math.min(1, y / (height * horizon));
    const color =
      share < 0.55
        ? mix(palette.zenith, palette.sky, share / 0.55)
        : mix(palette.sky, palette.horizon, (share - 0.55) / 0.45);
    blendBlock(canvas, { left: 0, top: y, width, height: 1 }, color);
    yield;
  }
}

function* paintStars(canvas: Canvas, { palette, horizon, detail, random }: Scene): Steps {
  const unit = Math.min(canvas.width, canvas.height);
  for (let star = 0; star < 60 + 40 * detail; star++) {
    const height = random.between(0, 1);
    const size = random.between(0, 1);
    const at = disc(
      random.between(0, canvas.width),
      height * canvas.height * horizon,
      unit * (0.0006 + 0.0014 * size * size * size),
    );
    yield* paint(canvas, [at], palette.light, (1 - 0.8 * height) * random.between(0.3, 1));
  }
}

function* paintLight(canvas: Canvas, { palette, light }: Scene): Steps {
  const radius = light.radius * Math.min(canvas.width, canvas.height);
  for (const [ring, cover] of [
    [3.4, 0.07],
    [2.4, 0.1],
    [1.6, 0.15],
    [1, 1],
  ] as const) {
    yield* paint(
      canvas,
      [disc(light.x * canvas.width, light.y * canvas.height, radius * ring)],
      palette.light,
      cover,
    );
  }
}

function* paintClouds(canvas: Canvas, { palette, horizon, detail, random }: Scene): Steps {
  const unit = Math.min(canvas.width, canvas.height);
  const color = palette.night
    ? mix(palette.sky, palette.horizon, 0.5)
    : mix(palette.horizon, palette.light, 0.5);
  for (let cloud = 0; cloud < 2 + detail; cloud++) {
    const middle = random.between(-0.05, 1.05) * canvas.width;
    const base = random.between(0.12, 0.8) * horizon * canvas.height;
    const thickness = random.between(0.006, 0.013) * unit;
    const banks: Stroke[] = [];
    for (let bank = 0; bank < 3; bank++) {
      const half = random.between(0.05, 0.13) * unit * (1 - bank * 0.28);
      const x = middle + random.between(-0.05, 0.05) * unit;
      const y = base - bank * thickness * 1.7;
      banks.push({ x1: x - half, y1: y, x2: x + half, y2: y, radius: thickness });
    }
    yield* paint(canvas, banks, color, random.between(0.25, 0.6));
  }
}

function* paintBirds(canvas: Canvas, { palette, horizon, detail, random }: Scene): Steps {
  const unit = Math.min(canvas.width, canvas.height);
  const flockX = random.between(0.15, 0.85) * canvas.width;
  const flockY = random.between(0.25, 0.6) * horizon * canvas.height;
  for (let bird = 0; bird < 2 + detail; bird++) {
    const x = flockX + random.between(-0.13, 0.13) * unit;
    const y = flockY + random.between(-0.06, 0.06) * unit;
    const span = random.between(0.006, 0.013) * unit;
    const wing = (side: number): Stroke => ({
      x1: x,
      y1: y,
      x2: x + side * span,
      y2: y - span * 0.45,
      radius: Math.max(0.6, unit * 0.001),
    });
    yield* paint(canvas, [wing(-1), wing(1)], palette.near, 0.8);
  }
}
