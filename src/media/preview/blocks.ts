import type { Picture } from "../../core/pictures/decode.ts";

const reset = "\u001b[0m";

/**
 * A picture as lines of half blocks: each character shows two pixels, one above the other. If the number of rows of
 * pixels is odd, the lower half of the last line shows the background of the terminal.
 */
export function blockLines(picture: Picture, colors: "truecolor" | "256"): readonly string[] {
  const color = colors === "truecolor" ? rgb : indexed;
  const lines: string[] = [];
  for (let row = 0; row < picture.height; row += 2) {
    let line = "";
    let shown = "";
    for (let column = 0; column < picture.width; column++) {
      const upper = `38;${color(pixelAt(picture, column, row))}`;
      const lower = row + 1 < picture.height ? `48;${color(pixelAt(picture, column, row + 1))}` : "49";
      const style = `\u001b[${upper};${lower}m`;
      line += style === shown ? "▀" : `${style}▀`;
      shown = style;
    }
    lines.push(line + reset);
  }
  return lines;
}

type Color = readonly [red: number, green: number, blue: number];

function pixelAt({ width, data }: Picture, column: number, row: number): Color {
  const at = (row * width + column) * 3;
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
}

const rgb = (color: Color): string => `2;${color.join(";")}`;

/** The nearest of the 216 colors and 24 grays that terminals share. The first 16 colors depend on the user's theme. */
function indexed(color: Color): string {
  const [red, green, blue] = color.map(nearestStep);
  const cube = steps.length ** 2 * (red ?? 0) + steps.length * (green ?? 0) + (blue ?? 0);
  const inCube: Color = [steps[red ?? 0] ?? 0, steps[green ?? 0] ?? 0, steps[blue ?? 0] ?? 0];
  const mean = (color[0] + color[1] + color[2]) / 3;
  const gray = Math.min(23, Math.max(0, Math.round((mean - 8) / 10)));
  const level = 8 + 10 * gray;
  const index = distance(color, [level, level, level]) < distance(color, inCube) ? 232 + gray : 16 + cube;
  return `5;${index}`;
}

/** The levels of each color in the cube of 216 colors. */
const steps = [0, 95, 135, 175, 215, 255];

const nearestStep = (value: number): number =>
  value < 48 ? 0 : value < 115 ? 1 : Math.min(5, Math.floor((value - 35) / 40));

const distance = (one: Color, other: Color): number =>
  one.reduce((sum, value, part) => sum + (value - (other[part] ?? 0)) ** 2, 0);
