import { crc32 } from "node:zlib";
import { UsageError } from "../../core/errors.ts";

/**
 * Returns the texts to request speech for: the whole text, unchanged, or its parts if it is longer than `limit`. Of
 * several parts, leaves out those without anything to speak, such as a line of stars. Throws `UsageError` if the text is
 * blank, or if no part would be left.
 */
export function requestedTexts(text: string, limit: number): readonly string[] {
  if (text.trim() === "") throw new UsageError("TEXT must not be empty");
  const parts = [...cutText(text, limit)];
  if (parts.length === 1) return [text];
  const speakable = parts.filter((part) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(part));
  if (speakable.length === 0) throw new UsageError("TEXT has no words to speak");
  return speakable.map((part) => part.trim());
}

/**
 * Cuts a text into parts of at most `limit` UTF-16 code units, not counting the white space around them. The joined
 * parts are the original text. A part ends at the end of a paragraph or a sentence. A sentence that is too long is cut
 * between lines, or else between words. A part exceeds the limit only if a single word does.
 */
export function* cutText(text: string, limit: number): Generator<string> {
  const textEnd = text.trimEnd().length;
  let start = 0;
  for (;;) {
    const from = start + indentOf(text, start);
    if (textEnd - from <= limit) break;
    const end = from + endOfPart(text, from, limit);
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

/** Returns the number of white-space characters at a position. */
function indentOf(text: string, at: number): number {
  const space = /\s*/y;
  space.lastIndex = at;
  return space.exec(text)?.[0].length ?? 0;
}

/** How many characters after the longest possible part are examined to find the end of its last sentence. */
const lookahead = 200;

/** Returns the length of the part that starts at `from`, including the white space after it. */
function endOfPart(text: string, from: number, limit: number): number {
  // Segment only a window of the text, because the time of `Intl.Segmenter` grows with the square of the length.
  for (let length = limit + lookahead; ; length *= 2) {
    const window = text.slice(from, from + length);
    const isWhole = from + length >= text.length;
    for (const ends of [paragraphEnds, sentenceEnds, lineEnds, spaceEnds, wordEnds]) {
      const possible = ends(window).filter((end) => end < window.length);
      const fitting = possible.filter((end) => window.slice(0, end).trimEnd().length <= limit);
      const end = bestEnd(window, fitting, limit, ends === paragraphEnds);
      if (end !== undefined) return end;
      if (ends === wordEnds && possible[0] !== undefined) return possible[0];
    }
    if (isWhole) return window.length;
  }
}

/**
 * Chooses where a part ends. Of several possible ends in the second half of the part, chooses the one with the lowest
 * hash of the text before it. So if the text changes, the parts after the change soon begin at the same places as
 * before. If no possible end is in the second half, chooses the last one or, with `secondHalfOnly`, returns undefined.
 */
function bestEnd(
  window: string,
  ends: readonly number[],
  limit: number,
  secondHalfOnly: boolean,
): number | undefined {
  const weight = (end: number) => crc32(window.slice(Math.max(0, end - 64), end));
  const late = ends.filter((end) => end >= limit / 2);
  const [best] = late.map((end) => ({ end, weight: weight(end) })).sort((a, b) => a.weight - b.weight);
  return best?.end ?? (secondHalfOnly ? undefined : ends.at(-1));
}

// The rules are the same for most languages, and the parts must not depend on the language of the system.
const locale = "en";

/** Returns the offset after each match. */
const endsOf = (pattern: RegExp, window: string): readonly number[] =>
  [...window.matchAll(pattern)].map((match) => match.index + match[0].length);

const paragraphEnds = (window: string) => endsOf(/\n[^\S\n]*\n\s*/g, window);
const lineEnds = (window: string) => endsOf(/\n\s*/g, window);
const spaceEnds = (window: string) => endsOf(/\s+/g, window);

/** Replaces line breaks with spaces first, because a line may end in the middle of a sentence. */
function sentenceEnds(window: string): readonly number[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: "sentence" });
  const oneLine = window.replace(/[\r\n\u0085\u2028\u2029]/g, " ");
  const ends = Array.from(segmenter.segment(oneLine), ({ index, segment }) => index + segment.length);
  return [...new Set([...ends, ...paragraphEnds(window)])].sort((a, b) => a - b);
}

/** Returns the ends of words, for text without spaces. A word includes the punctuation after it. */
function wordEnds(window: string): readonly number[] {
  const segmenter = new Intl.Segmenter(locale, { granularity: "word" });
  return [...segmenter.segment(window)].flatMap(({ index, isWordLike }) =>
    isWordLike && index > 0 ? [index] : [],
  );
}
