import { displayWidth } from "../display-width.ts";
import { sanitize } from "../text.ts";

/** Styles a text without changing its width. */
type Paint = (text: string) => string;

/** A piece of text in one style. `\n` is a line break. */
export interface Span {
  readonly text: string;
  readonly paint?: Paint | undefined;
}

/** One line on the terminal. */
export type Line = readonly Span[];

export const widthOf = (spans: Line): number =>
  spans.reduce((width, { text }) => width + displayWidth(text, Number.POSITIVE_INFINITY), 0);

/** Paints a line, but leaves out its first `skipped` characters. */
export function painted(line: Line, skipped = 0): string {
  let left = skipped;
  const runs: { text: string; readonly paint: Paint | undefined }[] = [];
  for (const { text, paint } of line) {
    const rest = sanitize(text.slice(left));
    left = Math.max(0, left - text.length);
    const last = runs.at(-1);
    if (last && last.paint === paint) last.text += rest;
    else if (rest !== "") runs.push({ text: rest, paint });
  }
  return runs.map(({ text, paint }) => (paint ? paint(text) : text)).join("");
}

/** The characters of a line, without styles. The characters that `painted` skips are counted in this text. */
export const textOf = (line: Line): string => line.map(({ text }) => text).join("");

const ideograph = "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\u3000-\\u303f\\uff00-\\uff60]";
const closers = "[、。，．！？：；）」』】〉》〕]*";
/** Matches spaces, line breaks, single ideographs with the punctuation after them, and runs of other characters. */
const units = new RegExp(`\\n| +|${ideograph}${closers}|(?:(?!${ideograph})[^ \\n])+`, "gu");
/** Like `units`, but much faster, for text without ideographs. */
const narrowUnits = /\n| +|[^ \n]+/g;
const mayHaveIdeographs = /[\u3000-\u{10ffff}]/u;
const unitsIn = (text: string) => text.matchAll(mayHaveIdeographs.test(text) ? units : narrowUnits);
const breaksBefore = new RegExp(`^(?:\\n| |${ideograph})`, "u");
const endsInIdeograph = new RegExp(`${ideograph}$`, "u");

/**
 * Wraps text to lines of at most `width` columns, between words and between ideographs. A word that is longer than a
 * line gets a line of its own, or is divided if `divides` is true. If text is added at the end, after a space or an
 * ideograph, only the last line changes.
 */
export function wrapped(spans: readonly Span[], width: number, { divides = false } = {}): readonly Line[] {
  const lines: Span[][] = [[]];
  let column = 0;
  let space: Span | undefined;
  const newLine = () => {
    lines.push([]);
    column = 0;
    space = undefined;
  };
  for (const word of wordsOf(spans)) {
    const [first] = word;
    if (first?.text === "\n") newLine();
    else if (first?.text.startsWith(" ")) space = column === 0 ? undefined : { ...first, text: " " };
    else {
      const length = widthOf(word);
      const before = space === undefined ? 0 : 1;
      if (column > 0 && column + before + length > width) newLine();
      for (const part of divides && length > width ? divided(word, width) : [word]) {
        if (column > 0 && part !== word && column + widthOf(part) > width) newLine();
        lines.at(-1)?.push(...(space ? [space] : []), ...part);
        column += (space ? 1 : 0) + widthOf(part);
        space = undefined;
      }
    }
  }
  return lines;
}

/** Splits text into words, spaces and line breaks. A word may have several styles. */
function wordsOf(spans: readonly Span[]): readonly Span[][] {
  const words: Span[][] = [];
  for (const { text, paint } of spans) {
    for (const [unit] of unitsIn(text)) {
      const last = words.at(-1);
      const end = last?.at(-1)?.text ?? "\n";
      const joins = !breaksBefore.test(unit) && !/[ \n]$/.test(end) && !endsInIdeograph.test(end);
      if (last && joins) last.push({ text: unit, paint });
      else words.push([{ text: unit, paint }]);
    }
  }
  return words;
}

let segmenter: Intl.Segmenter | undefined;

/** The parts of a word that is wider than a line. */
function divided(word: readonly Span[], width: number): readonly Span[][] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const parts: Span[][] = [[]];
  let column = 0;
  for (const { text, paint } of word) {
    for (const { segment } of segmenter.segment(text)) {
      const columns = displayWidth(segment, width);
      if (column > 0 && column + columns > width) {
        parts.push([]);
        column = 0;
      }
      column += columns;
      parts.at(-1)?.push({ text: segment, paint });
    }
  }
  return parts;
}

/** The position of the last word of a text. Text that follows can extend this word, but changes nothing before it. */
export function lastWordStart(text: string): number {
  const starts = [...unitsIn(text.slice(-maxWord))].map(({ index }) => index);
  return Math.max(0, text.length - maxWord) + (starts.at(-1) ?? 0);
}

/** The start of the word that contains a position, or the position itself if it is between words. */
export function wordStart(text: string, place: number): number {
  const from = Math.max(0, place - maxWord);
  const unit = [...unitsIn(text.slice(from, place + 1))].at(-1);
  return unit === undefined ? place : Math.min(place, from + unit.index);
}

const maxWord = 2_000;
