import { blankCanvas, type Canvas } from "./canvas.ts";

/** The picture stretched to another size in pixels, each new pixel weighed from the four nearest old ones. */
export function resize(picture: Canvas, width: number, height: number): Canvas {
  if (picture.width === width && picture.height === height) return picture;
  const resized = blankCanvas(width, height);
  const columns = weigh(picture.width, width);
  const rows = weigh(picture.height, height);
  const { data } = picture;
  let to = 0;
  for (const row of rows) {
    const upper = row.first * picture.width;
    const lower = row.second * picture.width;
    for (const column of columns) {
      for (let part = 0; part < 3; part++) {
        const a = data[(upper + column.first) * 3 + part] ?? 0;
        const b = data[(upper + column.second) * 3 + part] ?? 0;
        const c = data[(lower + column.first) * 3 + part] ?? 0;
        const d = data[(lower + column.second) * 3 + part] ?? 0;
        const above = a + (b - a) * column.share;
        const below = c + (d - c) * column.share;
        resized.data[to++] = above + (below - above) * row.share;
      }
    }
  }
  return resized;
}

/** For each new position along one side: the two old ones around its centre, and the share of the second. */
function weigh(from: number, to: number): { first: number; second: number; share: number }[] {
  return Array.from({ length: to }, (_, position) => {
    const at = Math.min(from - 1, Math.max(0, ((position + 0.5) * from) / to - 0.5));
    const first = Math.floor(at);
    return { first, second: Math.min(from - 1, first + 1), share: at - first };
  });
}
