import { open, readFile } from "node:fs/promises";
import { reasonOf } from "../../core/errors.ts";
import { decodePicture, type Picture, pictureKind } from "../../core/pictures/decode.ts";
import { encodePng } from "../../core/pictures/encode.ts";
import { blockLines } from "./blocks.ts";
import { type Area, fitWithin, gap, gridFor } from "./layout.ts";
import { iterm2Sequence, kittySequence } from "./protocols.ts";
import { shrink } from "./shrink.ts";

/** How a terminal draws, and its size in cells. */
export type Screen = { readonly columns: number; readonly rows: number } & (
  | { readonly draws: "kitty" | "iterm2" }
  | { readonly draws: "blocks"; readonly colors: "truecolor" | "256" }
);

/** A saved picture, and what to write below it in a contact sheet. */
export interface Shown {
  readonly path: string;
  /** The caption, in at most this many columns. */
  readonly caption: (columns: number) => { readonly text: string; readonly width: number };
}

export interface DrawOptions {
  readonly screen: Screen;
  /** Called for each picture that cannot be drawn. */
  readonly onProblem: (path: string, reason: string) => void;
}

/** The largest picture that is decoded, in pixels. Decoding a larger one takes too much memory for a preview. */
const maxPixels = 8192 ** 2;

/**
 * The size of the window, without the lines that follow the pictures: their paths and the shell prompt. At most a third
 * of the window is left free for these lines.
 */
const windowFor = (count: number, { columns, rows }: Screen): Area => ({
  width: columns,
  height: Math.max(1, rows - Math.min(count + 2, Math.ceil(rows / 3))),
});

/**
 * Draws one picture so that it fits the window, or several pictures as a contact sheet. Yields text for the terminal.
 */
export async function* drawPictures(
  pictures: readonly Shown[],
  options: DrawOptions,
): AsyncGenerator<string> {
  const [only, ...others] = pictures;
  if (only === undefined) return;
  if (others.length > 0) yield* drawSheet(pictures, options);
  else yield* drawOne(only.path, options);
}

async function* drawOne(path: string, { screen, onProblem }: DrawOptions): AsyncGenerator<string> {
  const box = windowFor(1, screen);
  try {
    if (screen.draws === "blocks") {
      const picture = await decoded(path);
      yield `${blockLines(thumbnail(picture, box, { width: 1, height: 2 }), screen.colors).join("\n")}\n`;
      return;
    }
    const bytes = await readFile(path);
    const size = await sizeOf(bytes);
    const place = { columns: naturalWidth(size, box) };
    const isPng = pictureKind(bytes) === "PNG";
    yield screen.draws === "iterm2"
      ? `${iterm2Sequence(bytes, place)}\n`
      : `${kittySequence(isPng ? bytes : await pngOf(await decoded(path), box), place)}\n`;
  } catch (error) {
    onProblem(path, reasonOf(error));
  }
}

/** The width of a picture in columns, so that it fits the box and is not enlarged beyond its pixels. */
const naturalWidth = (size: Area, box: Area): number =>
  Math.min(fitWithin(size, box).width, Math.ceil(size.width / pixelsOfCell.width));

/** The size of a cell in pixels, in a large font on a high-density screen. */
const pixelsOfCell = { width: 16, height: 32 };

async function* drawSheet(
  pictures: readonly Shown[],
  { screen, onProblem }: DrawOptions,
): AsyncGenerator<string> {
  const window = windowFor(pictures.length, screen);
  const grid = gridFor(pictures.length, await firstSize(pictures), window);
  for (let start = 0; start < pictures.length; start += grid.columns) {
    const row = pictures.slice(start, start + grid.columns);
    const cells: (Picture | undefined)[] = [];
    for (const { path } of row) {
      cells.push(
        await decoded(path)
          .then((picture) =>
            thumbnail(picture, grid.cell, screen.draws === "blocks" ? { width: 1, height: 2 } : pixelsOfCell),
          )
          .catch((error: unknown) => {
            onProblem(path, reasonOf(error));
            return undefined;
          }),
      );
    }
    yield screen.draws === "blocks"
      ? blockRow(cells, grid.cell, screen.colors)
      : await graphicsRow(cells, grid.cell, screen.draws);
    yield `${captionRow(row, grid.cell.width)}\n`;
  }
}

function captionRow(row: readonly Shown[], width: number): string {
  const captions = row.map(({ caption }) => caption(width));
  const padded = captions.map((one, at) =>
    at === captions.length - 1 ? one.text : one.text + " ".repeat(width - one.width),
  );
  return `${padded.join(" ".repeat(gap))}\n`;
}

function blockRow(
  cells: readonly (Picture | undefined)[],
  { width, height }: Area,
  colors: "truecolor" | "256",
): string {
  const blocks = cells.map((picture) => (picture ? blockLines(picture, colors) : []));
  return Array.from({ length: height }, (_, line) => {
    const parts = cells.map((picture, at) => {
      const drawn = blocks[at]?.[line];
      return drawn === undefined || picture === undefined
        ? " ".repeat(width)
        : drawn + " ".repeat(width - picture.width);
    });
    return `${parts.join(" ".repeat(gap)).trimEnd()}\n`;
  }).join("");
}

/**
 * Draws a row of pictures. Makes room first, because a picture that scrolls the screen would move the pictures beside
 * it.
 */
async function graphicsRow(
  cells: readonly (Picture | undefined)[],
  cell: Area,
  protocol: "kitty" | "iterm2",
): Promise<string> {
  const sequence = protocol === "kitty" ? kittySequence : iterm2Sequence;
  let text = `${"\n".repeat(cell.height)}\u001b[${cell.height}A`;
  for (const [at, picture] of cells.entries()) {
    if (picture === undefined) continue;
    const { width, height } = fitWithin(picture, cell);
    const right = at * (cell.width + gap);
    const move = right === 0 ? "" : `\u001b[${right}C`;
    const png = encodePng(picture);
    text += `\u001b7${move}${sequence(png, { columns: width, rows: height })}\u001b8`;
  }
  return `${text}\u001b[${cell.height}B\r`;
}

async function decoded(path: string): Promise<Picture> {
  return decodePicture(await readFile(path), { maxPixels });
}

/** Shrinks a picture so that it fits a box of cells. `pixels` is the size of a cell in pixels. */
function thumbnail(picture: Picture, box: Area, pixels: Area): Picture {
  const { width, height } = fitWithin(picture, box);
  return shrink(picture, width * pixels.width, height * pixels.height);
}

async function pngOf(picture: Picture, box: Area): Promise<Uint8Array> {
  return encodePng(thumbnail(picture, box, pixelsOfCell));
}

/** The size of a picture in pixels. Throws if the bytes do not contain it. */
async function sizeOf(bytes: Uint8Array): Promise<Area> {
  const { imageSize } = await import("image-size");
  const { width, height } = imageSize(bytes);
  if (!(width > 0 && height > 0)) throw new Error("its size is not known");
  return { width, height };
}

/** How many bytes of a file to read to find the picture's size. The metadata of a camera may come before the size. */
const headLength = 256 * 1024;

/**
 * The size of the first picture whose size is found. If none is found, probably no picture can be drawn, so any
 * proportions will do.
 */
async function firstSize(pictures: readonly Shown[]): Promise<Area> {
  for (const { path } of pictures) {
    try {
      const file = await open(path);
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
        return await sizeOf(buffer.subarray(0, bytesRead));
      } finally {
        await file.close();
      }
    } catch {}
  }
  return { width: 1, height: 1 };
}
