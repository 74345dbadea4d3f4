/** Columns between two columns of a table. */
export const GAP = 2;

export interface Wanted {
  /** What its longest value takes. */
  readonly width: number;
  /** Narrower than this it says nothing any more. */
  readonly least: number;
}

/** Widths of the columns that are kept, from the left. */
export interface Fit {
  readonly widths: readonly number[];
  /** True when columns were left out, for which a mark of one column has room. */
  readonly cut: boolean;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP);
}

/**
 * Widths that make a row fit: the widest columns give way first, down to their least, then columns are left out from
 * the right. The first stays always.
 */
export function fitWidths(wanted: readonly Wanted[], room: number): Fit {
  const least = wanted.map((column) => Math.min(column.width, column.least));
  let kept = wanted.length;
  const spare = () => (kept < wanted.length ? room - GAP - 1 : room);
  while (kept > 1 && total(least.slice(0, kept)) > spare()) kept -= 1;
  const widths = wanted.slice(0, kept).map(({ width }) => width);
  for (let excess = total(widths) - spare(); excess > 0; excess -= 1) {
    const widest = widths.reduce((best, width, index) => {
      const gives = width > (least[index] ?? width);
      return gives && width > (widths[best] ?? 0) ? index : best;
    }, -1);
    if (widest < 0) return { widths: [Math.max(1, spare())], cut: kept < wanted.length };
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return { widths, cut: kept < wanted.length };
}
