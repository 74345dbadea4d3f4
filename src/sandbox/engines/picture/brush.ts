import { type Canvas, lay } from "./canvas.ts";
import type { Colour } from "./colour.ts";

/** A line with round ends, in pixels; one without length is a disc. */
export type Stroke = { x1: number; y1: number; x2: number; y2: number; radius: number };

/** Paints the union of strokes with smooth edges, each pixel once however many strokes cover it. */
export function paint(canvas: Canvas, strokes: readonly Stroke[], colour: Colour, cover = 1): void {
  const top = Math.max(0, Math.floor(Math.min(...strokes.map((s) => Math.min(s.y1, s.y2) - s.radius - 1))));
  const bottom = Math.min(
    canvas.height - 1,
    Math.ceil(Math.max(...strokes.map((s) => Math.max(s.y1, s.y2) + s.radius + 1))),
  );
  const left = Math.max(0, Math.floor(Math.min(...strokes.map((s) => Math.min(s.x1, s.x2) - s.radius - 1))));
  const right = Math.min(
    canvas.width - 1,
    Math.ceil(Math.max(...strokes.map((s) => Math.max(s.x1, s.x2) + s.radius + 1))),
  );
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      let inside = 0;
      for (const stroke of strokes) inside = Math.max(inside, depth(stroke, x, y));
      if (inside > 0) lay(canvas.data, (y * canvas.width + x) * 3, colour, Math.min(1, inside) * cover);
    }
  }
}

/** How far the centre of a pixel lies inside a stroke, half a pixel added: the part of the pixel it covers. */
function depth(stroke: Stroke, x: number, y: number): number {
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

/** A round stroke. */
export function disc(x: number, y: number, radius: number): Stroke {
  return { x1: x, y1: y, x2: x, y2: y, radius };
}
