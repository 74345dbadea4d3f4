/** Red, green and blue, each an integer 0-255. */
export type Color = readonly [red: number, green: number, blue: number];

/** The color of a six-digit hexadecimal number: `rgb(0xff8800)`. */
export function rgb(hex: number): Color {
  return [hex >>> 16, (hex >>> 8) & 255, hex & 255];
}

/** Interpolates between two colors; a `share` over 1 extrapolates, clamped to valid colors. */
export function mix(from: Color, to: Color, share: number): Color {
  const part = (a: number, b: number) => Math.min(255, Math.max(0, Math.round(a + (b - a) * share))) | 0;
  return [part(from[0], to[0]), part(from[1], to[1]), part(from[2], to[2])];
}

/** Raises the saturation of a color if `strength` is over 1, and lowers it if `strength` is under 1. */
export function saturate(color: Color, strength: number): Color {
  const gray = Math.round(0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2]);
  return mix([gray, gray, gray], color, strength);
}

/** RGB pixels in rows from the top, three bytes each. Stored values are rounded and clamped. */
export type Canvas = { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray };

/** The steps of painting. Other work can run between two steps. */
export type Steps = Generator<void, void>;

/** A rectangle in whole pixels. */
export type Block = { left: number; top: number; width: number; height: number };

/** A black canvas; width and height in pixels. */
export function blankCanvas(width: number, height: number): Canvas {
  return { width, height, data: new Uint8ClampedArray(width * height * 3) };
}

/** Blends a color over the pixel at byte offset `at`; `cover` is the opacity, 0-1. */
function blendPixel(data: Uint8ClampedArray, at: number, [red, green, blue]: Color, cover: number): void {
  data[at] = blended(data[at] ?? 0, red, cover);
  data[at + 1] = blended(data[at + 1] ?? 0, green, cover);
  data[at + 2] = blended(data[at + 2] ?? 0, blue, cover);
}

const blended = (below: number, above: number, cover: number): number => below * (1 - cover) + above * cover;

/** A table for each channel: the result of blending a color over each value 0-255. */
type Blends = {
  readonly red: Uint8ClampedArray;
  readonly green: Uint8ClampedArray;
  readonly blue: Uint8ClampedArray;
};

/** Up to this many pixels, blending each pixel is faster than calculating a table of all values. */
const fewPixels = 256;

/** Calculates the tables for a color. Rounding for every pixel takes several times as long as a lookup. */
function blendsOf([red, green, blue]: Color, cover: number): Blends {
  const over = (above: number) => {
    const blends = new Uint8ClampedArray(256);
    for (let below = 0; below < 256; below++) blends[below] = blended(below, above, cover);
    return blends;
  };
  return { red: over(red), green: over(green), blue: over(blue) };
}

/** Blends over the pixels from byte offset `from` up to but excluding `to`. */
function blendPixels(data: Uint8ClampedArray, from: number, to: number, { red, green, blue }: Blends): void {
  for (let at = from; at < to; at += 3) {
    data[at] = red[data[at] ?? 0] ?? 0;
    data[at + 1] = green[data[at + 1] ?? 0] ?? 0;
    data[at + 2] = blue[data[at + 2] ?? 0] ?? 0;
  }
}

/**
 * Fills the pixels from byte offset `from` up to but excluding `to`: writes one, then copies what is already filled.
 */
function fillPixels(data: Uint8ClampedArray, from: number, to: number, color: Color): void {
  if (from >= to) return;
  data.set(color, from);
  for (let length = 3; from + length < to; length *= 2) {
    data.copyWithin(from + length, from, Math.min(from + length, to - length));
  }
}

/** Blends a color over a rectangle, clipped to the canvas. */
export function blendBlock({ width, height, data }: Canvas, block: Block, color: Color, cover = 1): void {
  const left = Math.max(0, block.left);
  const right = Math.min(width, block.left + block.width);
  const bottom = Math.min(height, block.top + block.height);
  const blends = cover < 1 && block.width * block.height > fewPixels ? blendsOf(color, cover) : undefined;
  for (let y = Math.max(0, block.top); y < bottom; y++) {
    const start = (y * width + left) * 3;
    const end = (y * width + right) * 3;
    if (cover >= 1) fillPixels(data, start, end, color);
    else if (blends) blendPixels(data, start, end, blends);
    else for (let at = start; at < end; at += 3) blendPixel(data, at, color, cover);
  }
}

/**
 * Blends a color over the pixels of a row that are below `tops`, antialiased. `tops` has a distance from the top for
 * each column.
 */
export function blendRowBelow(
  { width, data }: Canvas,
  y: number,
  tops: Readonly<Float64Array>,
  color: Color,
): void {
  const row = y * width * 3;
  // The columns from this one up to but excluding `x` are fully covered, but not filled yet.
  let covered = 0;
  for (let x = 0; x < width; x++) {
    const cover = y + 1 - (tops[x] ?? 0);
    if (cover >= 1) continue;
    fillPixels(data, row + covered * 3, row + x * 3, color);
    covered = x + 1;
    if (cover > 0) blendPixel(data, row + x * 3, color, cover);
  }
  fillPixels(data, row + covered * 3, row + width * 3, color);
}

/** Copies a row of pixels to another row, moved to the left by `shift` pixels. The pixel next to the gap fills it. */
export function copyRow({ width, data }: Canvas, from: number, to: number, shift: number): void {
  const row = data.slice(from * width * 3, (from + 1) * width * 3);
  const target = to * width * 3;
  // The columns whose pixel comes from inside the row.
  const first = Math.min(width, Math.max(0, -shift));
  const end = Math.max(first, Math.min(width, width - shift));
  data.set(row.subarray((first + shift) * 3, (end + shift) * 3), target + first * 3);
  fillPixels(data, target, target + first * 3, colorAt(row, 0));
  fillPixels(data, target + end * 3, target + width * 3, colorAt(row, width - 1));
}

const colorAt = (data: Uint8ClampedArray, pixel: number): Color => [
  data[pixel * 3] ?? 0,
  data[pixel * 3 + 1] ?? 0,
  data[pixel * 3 + 2] ?? 0,
];

/** A line with round caps, in pixels; with length 0 it is a disc. */
export type Stroke = { x1: number; y1: number; x2: number; y2: number; radius: number };

/** Paints the union of strokes, antialiased; pixels under several strokes are painted once. */
export function* paint(canvas: Canvas, strokes: readonly Stroke[], color: Color, cover = 1): Steps {
  const { width, data } = canvas;
  const boxes = strokes.map((stroke) => ({ stroke, ...boxOf(stroke, canvas) }));
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.bottom));
  const left = Math.min(...boxes.map((box) => box.left));
  const right = Math.max(...boxes.map((box) => box.right));
  const blends = (right - left) * (bottom - top) > fewPixels ? blendsOf(color, cover) : undefined;
  const row = new Float64Array(right - left);
  for (let y = top; y < bottom; y++) {
    row.fill(0);
    for (const box of boxes) if (y >= box.top && y < box.bottom) coverRow(row, left, y, box);
    for (let x = left; x < right; x++) {
      const inside = row[x - left] ?? 0;
      if (inside === 0) continue;
      const at = (y * width + x) * 3;
      if (inside === 1 && blends) blendPixels(data, at, at + 3, blends);
      else blendPixel(data, at, color, inside * cover);
    }
    yield;
  }
}

/** The pixels of a canvas that a stroke can touch: from `left` and `top` up to but excluding `right` and `bottom`. */
function boxOf({ x1, y1, x2, y2, radius }: Stroke, { width, height }: Canvas) {
  const within = (end: number, at: number) => Math.min(end, Math.max(0, at));
  return {
    top: within(height, Math.floor(Math.min(y1, y2) - radius - 1)),
    bottom: within(height, Math.ceil(Math.max(y1, y2) + radius + 1) + 1),
    left: within(width, Math.floor(Math.min(x1, x2) - radius - 1)),
    right: within(width, Math.ceil(Math.max(x1, x2) + radius + 1) + 1),
  };
}

/** Raises the coverage (0-1) of each pixel of row `y` that a stroke covers. `coverages` starts at column `start`. */
function coverRow(
  coverages: Float64Array,
  start: number,
  y: number,
  { stroke, left, right }: { readonly stroke: Stroke; readonly left: number; readonly right: number },
): void {
  // The part of a row that a stroke covers has no gaps, so every pixel between two fully covered pixels is fully
  // covered.
  let first = left;
  for (; first < right; first++) {
    const covered = coverage(stroke, first, y);
    if (covered >= 1) break;
    coverages[first - start] = Math.max(coverages[first - start] ?? 0, covered);
  }
  let end = right;
  for (; end > first; end--) {
    const covered = coverage(stroke, end - 1, y);
    if (covered >= 1) break;
    coverages[end - 1 - start] = Math.max(coverages[end - 1 - start] ?? 0, covered);
  }
  coverages.fill(1, first - start, end - start);
}

/** Coverage of a pixel by a stroke: how far its center is inside the stroke, plus half a pixel. */
function coverage(stroke: Stroke, x: number, y: number): number {
  const { x1, y1, radius } = stroke;
  const alongX = stroke.x2 - x1;
  const alongY = stroke.y2 - y1;
  const fromX = x + 0.5 - x1;
  const fromY = y + 0.5 - y1;
  const length = alongX * alongX + alongY * alongY;
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, (fromX * alongX + fromY * alongY) / length));
  const offX = fromX - alongX * share;
  const offY = fromY - alongY * share;
  return radius + 0.5 - Math.sqrt(offX * offX + offY * offY);
}

/** A disc: a stroke of length 0. */
export function disc(x: number, y: number, radius: number): Stroke {
  return { x1: x, y1: y, x2: x, y2: y, radius };
}
