import { type Canvas, layBlock } from "./canvas.ts";
import type { Colour } from "./colour.ts";
import { advance, dots } from "./glyphs.ts";

const ink: Colour = [255, 255, 255];
const dim: Colour = [214, 218, 226];

/**
 * Draws the band along the foot of a picture that says it came from the sandbox, with as much of the
 * caption at its right as there is room for.
 */
export function drawMark(canvas: Canvas, caption: string): void {
  const { width, height } = canvas;
  const dot = Math.max(1, Math.floor(Math.min(width, height) / 200));
  const small = Math.max(1, Math.floor(dot * 0.45));
  const margin = 3 * dot;
  const top = height - 7 * dot - 2 * margin;
  layBlock(canvas, { left: 0, top, width, height: height - top }, [8, 9, 14], 0.72);
  write(canvas, "SANDBOX", margin, top + margin, dot, ink);

  const start = margin + 8 * advance * dot;
  const room = Math.max(0, Math.floor((width - margin - start) / (advance * small)));
  const shown = [...caption].slice(0, room).join("");
  const left = width - margin - ([...shown].length * advance - 1) * small;
  write(canvas, shown, left, top + Math.round((height - top - 7 * small) / 2), small, dim);
}

function write(canvas: Canvas, text: string, left: number, top: number, dot: number, colour: Colour): void {
  for (const [column, row] of dots(text)) {
    const block = { left: left + column * dot, top: top + row * dot, width: dot, height: dot };
    layBlock(canvas, block, colour);
  }
}
