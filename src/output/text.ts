import { unseen } from "../core/unseen.ts";
import { exactText, stringifyExactly } from "../core/values/exact-numbers.ts";

/** Whether a value is an array of scalars, which reads well on one line. */
export function isSimpleList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((item) => item === null || typeof item !== "object");
}

/**
 * Formats any value as text. Strings and numbers are unchanged, arrays of scalars are joined with commas, and nested
 * values are compact JSON. Null, undefined and functions are empty. An object that cannot be written as JSON, such as
 * one that contains itself, becomes an ellipsis. Never throws.
 */
export function plainText(value: unknown): string {
  if (value === undefined || value === null || typeof value === "function") return "";
  if (isSimpleList(value))
    return value.map((item, at) => exactText(value, `${at}`) ?? plainText(item)).join(", ");
  if (typeof value !== "object") return String(value);
  try {
    return stringifyExactly(value) ?? "";
  } catch {
    return "…";
  }
}

/**
 * Maximum length of an escape sequence in characters. Longer text is not treated as an escape sequence, and is kept.
 */
const MAX_SEQUENCE = 4096;

const parameters = `[0-?]{0,${MAX_SEQUENCE}}[ -/]{0,8}`;
const csi = `(?:\\x1b\\[|\\x9b)${parameters}`;
const command = `(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x18\\x1a\\x1b\\x80-\\x9f]{0,${MAX_SEQUENCE}}`;
const short = "\\x1b[ -/]{0,8}";

const sequences = new RegExp(`${csi}[@-~]|${command}(?:\\x07|\\x1b\\\\|\\x9c)|${short}[0-~]`, "g");
const unfinished = new RegExp(`(?:${csi}|${command}\\x1b?|${short})$`);

const controlClass = `[\\x00-\\x08\\x0b-\\x1f${unseen}]`;
const controls = new RegExp(controlClass, "g");
const anyControl = new RegExp(controlClass);

/** Matches what gpuctl itself prints: colors, the sequences that draw a frame, and line ends of CSV. */
const ownStyles = "\\x1b\\[[\\d;]*m|\\x1b\\[[HJ]|\\r\\n";
const ownOrForeign = new RegExp(`(${ownStyles})|${sequences.source}|${controlClass}`, "g");

/**
 * Matches the sequences that draw pictures: colors, movements of the cursor within a drawing, and the protocols of
 * kitty and iTerm2. Their values are numbers, words and Base64. No sequence names a file or asks the terminal to
 * respond.
 */
const ownPictures = [
  "\\x1b\\[[\\d;]*m|\\r|\\x1b\\[\\d+[ABC]|\\x1b[78]",
  "\\x1b_G(?:[acCrfmq]=\\w+,?)*;[A-Za-z0-9+/=]*\\x1b\\\\",
  "\\x1b\\]1337;File=(?:(?:inline|size|width|height|preserveAspectRatio)=\\d+;?)*:[A-Za-z0-9+/=]*\\x07",
].join("|");
const pictureOrForeign = new RegExp(`(${ownPictures})|${sequences.source}|${controlClass}`, "g");

/** Matches escape sequences, but not the text that some of them enclose. */
const introducers = new RegExp(`${csi}[@-~]|${short}[0-~]`, "g");

/**
 * Removes everything that a terminal interprets: 7-bit and 8-bit escape sequences (colors, links, titles, device
 * control), control characters except newline and tab, and the `unseen` characters. Node's `stripVTControlCharacters`
 * is not used, because it leaves the text of a window title that contains a space, and differs between releases.
 */
export function sanitize(text: string): string {
  return anyControl.test(text) ? text.replace(sequences, "").replace(controls, "") : text;
}

/**
 * Like `sanitize`, but keeps the sequences that gpuctl itself draws with. Parts from other sources must be sanitized
 * already.
 */
export const sanitizeDrawn = (text: string): string => keepingOwn(text, ownOrForeign);

/** Like `sanitizeDrawn`, for a text that draws pictures. */
export const sanitizePictures = (text: string): string => keepingOwn(text, pictureOrForeign);

/** Removes what a pattern matches, except its first group. */
const keepingOwn = (text: string, pattern: RegExp): string =>
  anyControl.test(text) ? text.replace(pattern, (_, own: string | undefined) => own ?? "") : text;

/**
 * Like `sanitize`, for one line, but keeps the text in escape sequences. A window title, for example, is shown as text.
 */
export const sanitizeLine = (text: string): string =>
  oneLine(text, false).replace(introducers, "").replace(controls, "");

/** Sanitizes a text that arrives in pieces, including escape sequences that are split between pieces. */
export function createSanitizer(): {
  readonly add: (piece: string) => string;
  /** Call this at the end. Returns the rest of the text. */
  readonly end: () => string;
} {
  let held = "";
  return {
    add: (piece) => {
      const text = held + piece;
      const end = anyControl.test(text) ? (unfinished.exec(text)?.index ?? text.length) : text.length;
      held = text.slice(end);
      return sanitize(text.slice(0, end));
    },
    end: () => {
      const rest = sanitize(held);
      held = "";
      return rest;
    },
  };
}

/** Whether a text can be typed on a command line: it is not empty and has no control or invisible characters. */
export const isWord = (text: string): boolean => text !== "" && text === oneLine(text, true);

/** Text for one line of output: line breaks and tabs become spaces, and text for a terminal is sanitized. */
export function oneLine(text: string, terminal: boolean): string {
  const line = text.replace(/\r\n|[\t-\r\x85\u2028\u2029]/g, " ");
  return terminal ? sanitize(line) : line;
}
