import { blendBlock, type Canvas, type Color } from "./canvas.ts";

const ink: Color = [255, 255, 255];
const dim: Color = [214, 218, 226];

/**
 * Draws a band at the bottom that marks the picture as the sandbox's. The caption is at the right end of the band, and
 * is cut off if it is too long.
 */
export function drawMark(canvas: Canvas, caption: string): void {
  const { width, height } = canvas;
  const dot = Math.max(1, Math.floor(Math.min(width, height) / 200));
  const small = Math.max(1, Math.floor(dot * 0.45));
  const margin = 3 * dot;
  const top = height - 7 * dot - 2 * margin;
  blendBlock(canvas, { left: 0, top, width, height: height - top }, [8, 9, 14], 0.72);
  write(canvas, "SANDBOX", margin, top + margin, dot, ink);

  const start = margin + 8 * advance * dot;
  const room = Math.max(0, Math.floor((width - margin - start) / (advance * small)));
  const shown = [...caption].slice(0, room).join("");
  const left = width - margin - ([...shown].length * advance - 1) * small;
  write(canvas, shown, left, top + Math.round((height - top - 7 * small) / 2), small, dim);
}

function write(canvas: Canvas, text: string, left: number, top: number, dot: number, color: Color): void {
  for (const [column, row] of dots(text)) {
    const block = { left: left + column * dot, top: top + row * dot, width: dot, height: dot };
    blendBlock(canvas, block, color);
  }
}

/** A 5x7 bitmap font: seven rows from the top, five bits each, the leftmost dot in the highest bit. */
const glyphs: Record<string, readonly number[]> = {
  A: [14, 17, 17, 31, 17, 17, 17],
  B: [30, 17, 17, 30, 17, 17, 30],
  C: [14, 17, 16, 16, 16, 17, 14],
  D: [30, 17, 17, 17, 17, 17, 30],
  E: [31, 16, 16, 30, 16, 16, 31],
  F: [31, 16, 16, 30, 16, 16, 16],
  G: [14, 17, 16, 23, 17, 17, 15],
  H: [17, 17, 17, 31, 17, 17, 17],
  I: [14, 4, 4, 4, 4, 4, 14],
  J: [7, 2, 2, 2, 2, 18, 12],
  K: [17, 18, 20, 24, 20, 18, 17],
  L: [16, 16, 16, 16, 16, 16, 31],
  M: [17, 27, 21, 21, 17, 17, 17],
  N: [17, 25, 21, 19, 17, 17, 17],
  O: [14, 17, 17, 17, 17, 17, 14],
  P: [30, 17, 17, 30, 16, 16, 16],
  Q: [14, 17, 17, 17, 21, 18, 13],
  R: [30, 17, 17, 30, 20, 18, 17],
  S: [15, 16, 16, 14, 1, 1, 30],
  T: [31, 4, 4, 4, 4, 4, 4],
  U: [17, 17, 17, 17, 17, 17, 14],
  V: [17, 17, 17, 17, 17, 10, 4],
  W: [17, 17, 17, 21, 21, 27, 17],
  X: [17, 17, 10, 4, 10, 17, 17],
  Y: [17, 17, 10, 4, 4, 4, 4],
  Z: [31, 1, 2, 4, 8, 16, 31],
  "0": [14, 17, 19, 21, 25, 17, 14],
  "1": [4, 12, 4, 4, 4, 4, 14],
  "2": [14, 17, 1, 6, 8, 16, 31],
  "3": [14, 17, 1, 6, 1, 17, 14],
  "4": [2, 6, 10, 18, 31, 2, 2],
  "5": [31, 16, 30, 1, 1, 17, 14],
  "6": [6, 8, 16, 30, 17, 17, 14],
  "7": [31, 1, 2, 4, 8, 8, 8],
  "8": [14, 17, 17, 14, 17, 17, 14],
  "9": [14, 17, 17, 15, 1, 2, 12],
  ".": [0, 0, 0, 0, 0, 12, 12],
  "-": [0, 0, 0, 14, 0, 0, 0],
  "+": [0, 4, 4, 31, 4, 4, 0],
  "/": [1, 1, 2, 4, 8, 16, 16],
  ":": [0, 12, 12, 0, 12, 12, 0],
  _: [0, 0, 0, 0, 0, 0, 31],
  " ": [0, 0, 0, 0, 0, 0, 0],
};
const missingGlyph = [31, 17, 17, 17, 17, 17, 31];

/** Advance width of a character in dots. */
const advance = 6;

/** The dots of a text in uppercase, each as [column, row]. A character without a glyph is shown as a box. */
function dots(text: string): [column: number, row: number][] {
  return [...text.toUpperCase()].flatMap((character, place) =>
    (glyphs[character] ?? missingGlyph).flatMap((bits, row) =>
      [0, 1, 2, 3, 4]
        .filter((column) => bits & (16 >> column))
        .map((column): [number, number] => [place * advance + column, row]),
    ),
  );
}
