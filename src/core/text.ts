import leven from "leven";
import { UsageError } from "./errors.ts";

/** Quotes a word for a POSIX shell, if it needs quotes. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * A command line that the user can copy. If any argument starts with a dash, as a text from the service may, all
 * arguments follow `--`.
 */
export function commandLine(command: string, args: readonly string[], flags: readonly string[] = []): string {
  const words = args.some((word) => word.startsWith("-")) ? [...flags, "--", ...args] : [...args, ...flags];
  return ["gpuctl", command, ...words.map(quoted)].join(" ");
}

/**
 * Joins a flag and its message. If the message continues the sentence, no colon is needed: "--gpus must be 1", but
 * "--image: SD2 does not support image-to-image".
 */
export const sentence = ({ flag, message }: { readonly flag: string; readonly message: string }): string =>
  /^(must|is|has|cannot|requires|or)\b/.test(message) ? `${flag} ${message}` : `${flag}: ${message}`;

/**
 * An invalid field and its message, such as "messages.0.content is required"; just the message if there is no field.
 */
export function issueText({
  path,
  message,
}: {
  readonly path: readonly (string | number)[];
  readonly message: string;
}): string {
  const field = path.join(".");
  return field === "" ? message : sentence({ flag: field, message });
}

/** The error for one or more invalid values. A single issue becomes the error message itself. */
export function invalidValues(
  issues: readonly { readonly flag: string; readonly message: string }[],
  hint?: string,
): UsageError {
  const [first, ...more] = issues;
  if (first && more.length === 0) return new UsageError(sentence(first), { hint });
  return new UsageError(`${issues.length} invalid values`, { issues, hint });
}

/**
 * The last four characters of an API key, to recognize it; empty for a short key, because four characters would reveal
 * too much of it.
 */
export const keyEnding = (key: string): string => (key.length < 12 ? "" : key.slice(-4));

/** The words that are closest to a misspelled one, in the given order; empty if none is close. */
export function nearest(input: string, words: Iterable<string>): readonly string[] {
  const near = [...new Set(words)]
    .map((word) => ({ word, ...compared(normalized(input), normalized(word)) }))
    .filter(({ edits, allowed }) => edits <= allowed);
  const minEdits = Math.min(...near.map(({ edits }) => edits));
  return near.filter(({ edits }) => edits === minEdits).map(({ word }) => word);
}

/**
 * A suggestion to append to a message, with a leading space; empty if no word is close. `shown` formats each suggested
 * word.
 */
export const didYouMean = (
  input: string,
  words: Iterable<string>,
  shown: (word: string) => string = (word) => word,
): string => suggestion(nearest(input, words).map(shown));

/** A text that suggests these words; empty if there are none. */
export const suggestion = (words: readonly string[]): string =>
  words.length > 0 ? ` (Did you mean ${words.join(" or ")}?)` : "";

/** The message for a value that is not one of the choices. */
export const invalidChoice = (place: string, choices: readonly string[], input: string): string =>
  `${place} must be one of ${choices.join(", ")}, not ${JSON.stringify(input)}${didYouMean(input, choices)}`;

/** Leading dashes and case do not count as typing errors. */
const normalized = (word: string): string => word.replace(/^-+/, "").toLowerCase();

const maxEdits = 3;

/** How many edits apart two words are, and how many still count as a misspelling. */
function compared(input: string, word: string): { readonly edits: number; readonly allowed: number } {
  const allowed = Math.min(maxEdits, Math.max(1, Math.floor(Math.max(input.length, word.length) / 3)));
  const edits = leven(input, word);
  // leven counts a swap of two neighboring letters, the most common typing error, as two edits.
  if (edits === 2 && letters(input) === letters(word)) return { edits: 1, allowed };
  return {
    edits: abbreviates(input, word) ? Math.min(edits, 1 + (word.length - input.length) / 20) : edits,
    allowed,
  };
}

const letters = (word: string): string => [...word].sort().join("");

/** Whether the input is the word with letters left out, such as `listVolumes` for `listStorageVolumes`. */
function abbreviates(input: string, word: string): boolean {
  if (input.length < minAbbreviation) return false;
  let at = 0;
  for (const letter of word) if (letter === input[at]) at += 1;
  return at === input.length;
}

/** Shorter inputs would match too many words. */
const minAbbreviation = 5;

/** Wraps a text to lines of at most `width` columns. Does not split a word that is longer. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/**
 * Whether the whole text matches a glob pattern, in which `*` matches any text and `?` matches one character. The match
 * is case-sensitive. In the worst case, takes about (text length × pattern length) steps.
 */
export function matchesGlob(text: string, glob: string): boolean {
  const [characters, pattern] = [[...text], [...glob]];
  let [at, next] = [0, 0];
  /** Where to resume if the last `*` must match one more character. */
  let retry: { at: number; next: number } | undefined;
  while (at < characters.length) {
    if (pattern[next] === "*") {
      next += 1;
      retry = { at, next };
    } else if (pattern[next] === "?" || pattern[next] === characters[at]) {
      at += 1;
      next += 1;
    } else if (retry) {
      retry.at += 1;
      ({ at, next } = retry);
    } else {
      return false;
    }
  }
  return pattern.slice(next).every((character) => character === "*");
}

/**
 * Random hexadecimal digits, for a name that must be unique but need not be secret. `crypto.randomUUID` would load
 * node:crypto, which takes 5 ms.
 */
export const uniqueHex = (length: number): string =>
  Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join("");

/** Decodes text in UTF-8. Undefined if the bytes are not valid UTF-8, or contain a NUL. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads a text file for a flag, or stdin for `-`. Throws `UsageError` if it is not text in UTF-8, because it would be
 * sent, and perhaps paid for, with replacement characters.
 */
export async function readText(
  path: string,
  flag: string,
  files: { readonly read: (path: string, from: string) => Promise<Uint8Array> },
): Promise<string> {
  const text = utf8Text(await files.read(path, flag));
  if (text !== undefined) return text;
  throw new UsageError(`${flag} ${path} is not text in UTF-8`, {
    hint: "Convert it to text in UTF-8 first. Nothing was sent.",
  });
}
