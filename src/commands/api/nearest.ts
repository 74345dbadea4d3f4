/** The few names that are most like a word, the likest first; none when nothing is. */
export function nearest(word: string, names: readonly string[], most = 3): readonly string[] {
  const wanted = word.toLowerCase();
  return [...new Set(names)]
    .map((name) => ({ name, distance: distance(wanted, name.toLowerCase()) }))
    .filter(
      ({ name, distance }) => distance <= Math.max(2, Math.floor(Math.max(word.length, name.length) * 0.4)),
    )
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

/** How many letters are to be changed, put in or taken out; one word inside the other is near. */
function distance(a: string, b: string): number {
  if (a.length > 2 && (b.includes(a) || a.includes(b))) return 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    let left = index + 1;
    let above = index;
    row = row.map((up, at) => {
      if (at === 0) return left;
      left = Math.min(up + 1, left + 1, above + (letter === b[at - 1] ? 0 : 1));
      above = up;
      return left;
    });
  }
  return row.at(-1) ?? 0;
}
