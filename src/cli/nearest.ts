/** More slips than this make another word; in a short word, more than one in three letters do. */
const mostSlips = 3;
const allowed = (typed: string, word: string): number =>
  Math.min(mostSlips, Math.max(1, Math.floor(Math.max(typed.length, word.length) / 3)));

/** The words that were most likely meant, in the order given; none when nothing is near. */
export function nearest(typed: string, words: Iterable<string>): readonly string[] {
  const near = [...new Set(words)]
    .map((word) => ({ word, count: slips(bare(typed), bare(word)) }))
    .filter(({ word, count }) => count <= allowed(bare(typed), bare(word)));
  const fewest = Math.min(...near.map(({ count }) => count));
  return near.filter(({ count }) => count === fewest).map(({ word }) => word);
}

/** A question to put behind a message, with a blank before it; empty when nothing is near. */
export function didYouMean(typed: string, words: Iterable<string>): string {
  const near = nearest(typed, words);
  return near.length > 0 ? ` (Did you mean ${near.join(" or ")}?)` : "";
}

/** What is wrong with a value that is none of the choices. */
export const noChoice = (place: string, choices: readonly string[], typed: string): string =>
  `${place} must be one of ${choices.join(", ")}, not ${JSON.stringify(typed)}${didYouMean(typed, choices)}`;

/** Dashes and capitals are no slips. */
const bare = (word: string): string => word.replace(/^-+/, "").toLowerCase();

/** Letters to add, leave out, replace or swap with their neighbour to make one word of the other. */
function slips(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row++) {
    const cells = [row];
    for (let column = 1; column <= to.length; column++) {
      const other = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      cells[column] = Math.min(
        (rows[row - 1]?.[column] ?? 0) + 1,
        (cells[column - 1] ?? 0) + 1,
        (rows[row - 1]?.[column - 1] ?? 0) + other,
        swapped ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(cells);
  }
  return rows[from.length]?.[to.length] ?? 0;
}
