/**
 * Finds words of at least `max` characters in a text that arrives in parts. The returned function takes the next part,
 * and returns the start of the first such word that ends in this part or later; undefined if there is none. The start
 * is relative to the part, so it is negative if the word starts in an earlier part. Each part is read only once:
 * reading the text again would take time that grows with the square of its length.
 */
export function longWordFinder(max: number): (part: string) => number | undefined {
  /** The length of the word at the end of the text so far. */
  let length = 0;
  return (part) => {
    let found: number | undefined;
    let end = 0;
    for (const { 0: word, index } of part.matchAll(/\S+/g)) {
      if (index > 0) length = 0;
      length += word.length;
      end = index + word.length;
      if (length >= max) found ??= end - length;
    }
    if (end < part.length) length = 0;
    return found;
  };
}
