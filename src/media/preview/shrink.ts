import type { Picture } from "../../core/pictures/decode.ts";

/** Makes a picture smaller. Each new pixel is the average of the area that it covers. Never enlarges a picture. */
export function shrink(picture: Picture, toWidth: number, toHeight: number): Picture {
  const width = Math.min(picture.width, toWidth);
  const height = Math.min(picture.height, toHeight);
  if (width === picture.width && height === picture.height) return picture;
  // One axis after the other, because the average of an area is the average of its rows' averages.
  const narrow = new Float32Array(width * picture.height * 3);
  average(picture.data, narrow, {
    from: picture.width,
    to: width,
    lines: picture.height,
    step: 3,
    line: picture.width * 3,
    newLine: width * 3,
  });
  const data = new Uint8ClampedArray(width * height * 3);
  average(narrow, data, {
    from: picture.height,
    to: height,
    lines: width,
    step: width * 3,
    line: 3,
    newLine: 3,
  });
  return { width, height, data };
}

interface Axis {
  /** Length in pixels before shrinking (`from`) and after (`to`). */
  readonly from: number;
  readonly to: number;
  /** How many lines of pixels run along the axis. */
  readonly lines: number;
  /** Distance from one pixel to the next in both arrays. */
  readonly step: number;
  /** Distance from one line to the next in the array, before shrinking (`line`) and after (`newLine`). */
  readonly line: number;
  readonly newLine: number;
}

/** Averages along one axis. A pixel at the end of an area is weighted by its share inside the area. */
function average(
  data: ArrayLike<number>,
  into: Float32Array | Uint8ClampedArray,
  { from, to, lines, step, line, newLine }: Axis,
): void {
  const scale = from / to;
  for (let at = 0; at < to; at++) {
    const start = at * scale;
    const end = Math.min(from, start + scale);
    for (let other = 0; other < lines; other++) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let pixel = Math.floor(start); pixel < end; pixel++) {
        const weight = Math.min(pixel + 1, end) - Math.max(pixel, start);
        const index = pixel * step + other * line;
        red += (data[index] ?? 0) * weight;
        green += (data[index + 1] ?? 0) * weight;
        blue += (data[index + 2] ?? 0) * weight;
      }
      const index = at * step + other * newLine;
      into[index] = red / scale;
      into[index + 1] = green / scale;
      into[index + 2] = blue / scale;
    }
  }
}
