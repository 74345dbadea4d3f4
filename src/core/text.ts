import leven from "leven";
import { UsageError } from "./errors.ts";

/** A word quoted for a POSIX shell where it needs quotes. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A flag and what is wrong with it: "--gpus must be 1", but "--image: SD2 does not do that". */
export const sentence = ({ flag, message }: { readonly flag: string; readonly message: string }): string =>
  /^(must|is|has|cannot|requires|or)\b/.test(message) ? `${flag} ${message}` : `${flag}: ${message}`;

/** The error for one or more invalid values; a single one is the message itself. */
export function invalidValues(
  issues: readonly { readonly flag: string; readonly message: string }[],
  hint: string,
): UsageError {
  const [first, ...more] = issues;
  if (first && more.length === 0) return new UsageError(sentence(first), { hint });
  return new UsageError(`${issues.length} invalid values`, { issues, hint });
}

/** The last four characters of an API key, to recognize it by; empty for a key too short to reveal that much of. */
export const keyEnding = (key: string): string => (key.length < 12 ? "" : key.slice(-4));

/** The words most likely meant, in the order given; none when nothing is near. */
export function nearest(input: string, words: Iterable<string>): readonly string[] {
  const near = [...new Set(words)]
    .map((word) => ({ word, ...compared(bare(input), bare(word)) }))
    .filter(({ edits, allowed }) => edits <= allowed);
  const minEdits = Math.min(...near.map(({ edits }) => edits));
  return near.filter(({ edits }) => edits === minEdits).map(({ word }) => word);
}

/** A question to append to a message, with a leading space; empty when nothing is near. */
export function didYouMean(input: string, words: Iterable<string>): string {
  const near = nearest(input, words);
  return near.length > 0 ? ` (Did you mean ${near.join(" or ")}?)` : "";
}

/** What is wrong with a value that is not one of the choices. */
export const noChoice = (place: string, choices: readonly string[], input: string): string =>
  `${place} must be one of ${choices.join(", ")}, not ${JSON.stringify(input)}${didYouMean(input, choices)}`;

/** Dashes and case do not count as typing errors. */
const bare = (word: string): string => word.replace(/^-+/, "").toLowerCase();

const maxEdits = 3;

/** How many edits apart two words are, and how many still count as a misspelling. */
function compared(input: string, word: string): { readonly edits: number; readonly allowed: number } {
  const allowed = Math.min(maxEdits, Math.max(1, Math.floor(Math.max(input.length, word.length) / 3)));
  const edits = leven(input, word);
  // leven counts a swap of two neighbors, the most common slip, as two edits.
  if (edits === 2 && letters(input) === letters(word)) return { edits: 1, allowed };
  return {
    edits: shortens(input, word) ? Math.min(edits, 1 + (word.length - input.length) / 20) : edits,
    allowed,
  };
}

const letters = (word: string): string => [...word].sort().join("");

/** Whether a word of some length leaves letters of the other out, as `listVolumes` does of `listStorageVolumes`. */
function shortens(input: string, word: string): boolean {
  if (input.length < minShortened) return false;
  let at = 0;
  for (const letter of word) if (letter === input[at]) at += 1;
  return at === input.length;
}

const minShortened = 5;

/** Lines of at most `width` columns; a longer word stays whole. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
