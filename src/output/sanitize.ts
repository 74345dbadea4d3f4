/** A sequence that does not end within so many characters is none, and its text stays. */
const LONGEST = 4096;

const parameters = `[0-?]{0,${LONGEST}}[ -/]{0,8}`;
const csi = `(?:\\x1b\\[|\\x9b)${parameters}`;
const command = `(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x18\\x1a\\x1b\\x80-\\x9f]{0,${LONGEST}}`;
const short = "\\x1b[ -/]{0,8}";

const sequences = new RegExp(`${csi}[@-~]|${command}(?:\\x07|\\x1b\\\\|\\x9c)|${short}[0-~]`, "g");
const unfinished = new RegExp(`(?:${csi}|${command}\\x1b?|${short})$`);
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text without anything that a terminal obeys: escape sequences in 7 and 8 bits (colours, links, titles, device
 * control), control characters but newline and tab, and what reverses the direction of writing.
 * `stripVTControlCharacters` of Node leaves the text of a title that holds a space, and differs between releases.
 */
export function sanitize(text: string): string {
  return text.replace(sequences, "").replace(controls, "");
}

/** The same over pieces as they come: a sequence that is cut between two pieces goes as well. */
export async function* sanitizeStream(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  let held = "";
  for await (const piece of pieces) {
    const text = held + piece;
    const end = unfinished.exec(text)?.index ?? text.length;
    held = text.slice(end);
    const clean = sanitize(text.slice(0, end));
    if (clean !== "") yield clean;
  }
  const rest = sanitize(held);
  if (rest !== "") yield rest;
}

/** Text for one line of output: breaks and tabs become spaces, and on a terminal nothing is left that it would obey. */
export function oneLine(text: string, terminal: boolean): string {
  const line = text.replace(/\r\n|[\t-\r\x85\u2028\u2029]/g, " ");
  return terminal ? sanitize(line) : line;
}
