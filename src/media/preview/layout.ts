/** Width and height, in pixels or in cells. */
export interface Area {
  readonly width: number;
  readonly height: number;
}

/** A terminal's cell is about twice as high as wide. */
const cellHeight = 2;

/** The largest area in cells, within `box`, that shows a picture in its proportions. */
export function fitWithin({ width, height }: Area, box: Area): Area {
  const scale = Math.min(box.width / width, (box.height * cellHeight) / height);
  return {
    width: Math.max(1, Math.min(box.width, Math.round(width * scale))),
    height: Math.max(1, Math.min(box.height, Math.round((height * scale) / cellHeight))),
  };
}

/** A contact sheet: how many pictures are in a row, and the size of each picture in cells, without its caption. */
export interface Grid {
  readonly columns: number;
  readonly cell: Area;
}

export const gap = 2;

/** Pictures narrower than this many cells cannot be recognized in half blocks. */
const minWidth = 14;

/**
 * The grid in which `count` pictures of these proportions are largest, with a caption below each picture and an empty
 * line between rows. If several grids are equally good, returns the one with the fewest rows. If the pictures would be
 * too small to recognize, the sheet is longer than the window.
 */
export function gridFor(count: number, picture: Area, window: Area): Grid {
  const grids = Array.from({ length: count }, (_, index): Grid => {
    const columns = index + 1;
    const rows = Math.ceil(count / columns);
    const width = Math.floor((window.width - gap * (columns - 1)) / columns);
    const height = Math.floor((window.height - (rows - 1)) / rows) - 1;
    return { columns, cell: { width, height } };
  });
  const visible = grids.filter(({ cell }) => cell.height >= 1 && cell.width >= 1);
  const widest = visible.reduce<Grid | undefined>(
    (best, grid) =>
      best && fitWithin(picture, best.cell).width > fitWithin(picture, grid.cell).width ? best : grid,
    undefined,
  );
  if (widest && fitWithin(picture, widest.cell).width >= Math.min(minWidth, window.width))
    return snug(widest, picture);
  const columns = Math.max(1, Math.floor((window.width + gap) / (minWidth + gap)));
  const width = Math.floor((window.width - gap * (columns - 1)) / columns);
  return snug({ columns, cell: { width, height: Math.max(1, window.height - 1) } }, picture);
}

/** The grid with cells that are only as large as a picture needs. */
const snug = ({ columns, cell }: Grid, picture: Area): Grid => ({ columns, cell: fitWithin(picture, cell) });
