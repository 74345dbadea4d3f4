/** East Asian characters that take two columns. */
const WIDE =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
const EMOJI = /^\p{Emoji_Presentation}|^\p{Emoji}.?\ufe0f/u;
const INVISIBLE = /^[\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]+$/u;
const PLAIN = /^[ -~]*$/;

/** A character as a reader sees it may be made of many; the search of a column's end stops after so many for each. */
const LONGEST_CHARACTER = 16;

let characters: Intl.Segmenter | undefined;

function* measured(text: string): Generator<{ character: string; columns: number }> {
  characters ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of characters.segment(text)) {
    const columns = INVISIBLE.test(segment) ? 0 : WIDE.test(segment) || EMOJI.test(segment) ? 2 : 1;
    yield { character: segment, columns };
  }
}

/** True of text in printable ASCII, where a character is a column. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Columns that a line of text takes on a terminal, counted up to a limit: the time taken does not grow beyond it. */
export function displayWidth(text: string, limit: number): number {
  if (isPlain(text)) return Math.min(text.length, limit);
  const most = limit * LONGEST_CHARACTER;
  if (text.length > most) return limit;
  let width = 0;
  for (const { columns } of measured(text)) {
    width += columns;
    if (width >= limit) return limit;
  }
  return width;
}

/** The line of text when it fits, else its beginning and an ellipsis, never a character cut in half. */
export function clip(text: string, columns: number): string {
  if (displayWidth(text, columns + 1) <= columns) return text;
  let kept = "";
  let left = columns - 1;
  for (const character of measured(text.slice(0, columns * LONGEST_CHARACTER))) {
    left -= character.columns;
    if (left < 0) break;
    kept += character.character;
  }
  return `${kept}…`;
}
