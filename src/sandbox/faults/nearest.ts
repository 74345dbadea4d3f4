/** The known name that is most like a word, which may be shortened; nothing when none is like it. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, steps: distance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.steps - other.steps);
  const [best] = ranked;
  return best && best.steps <= word.length / 3 ? best.name : undefined;
}

/** People leave letters out more often than they type wrong ones. */
const leftOut = 0.1;

/** Letters to replace or delete to make a word the other one, and a little for each that it lacks. */
function distance(word: string, name: string): number {
  let row = Array.from({ length: name.length + 1 }, (_, at) => at * leftOut);
  for (const [index, letter] of [...word].entries()) {
    const above = row;
    row = [index + 1];
    for (let at = 1; at <= name.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (name[at - 1] === letter ? 0 : 1);
      row.push(Math.min(replaced, (above[at] ?? 0) + 1, (row[at - 1] ?? 0) + leftOut));
    }
  }
  return row.at(-1) ?? 0;
}
