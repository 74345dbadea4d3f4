/** Text for a manual page: nothing in it is taken for a request of roff. */
export const plain = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replace(/^(?=[.'])/gm, "\\&")
    .replace(/[^\n -~]/gu, unicode);

/** Text that a reader may copy into a shell: hyphens stay hyphens. */
export const literal = (text: string): string => plain(text).replaceAll("-", "\\-");

export const bold = (text: string): string => `\\fB${literal(text)}\\fR`;
export const italic = (text: string): string => `\\fI${literal(text)}\\fR`;

const unicode = (character: string): string =>
  `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;

export interface Title {
  readonly name: string;
  /** The section of the manual: 1 for commands, 7 for topics. */
  readonly number: 1 | 7;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly version: string;
}

/** A whole page. Each part is a section, already roff. */
export const page = ({ name, number, date, version }: Title, parts: readonly string[]): string =>
  [
    '.\\" Made by `npm run generate`; do not edit.',
    `.TH ${literal(name.toUpperCase())} ${number} ${date} "gpuctl ${version}" "gpuctl manual"`,
    ...parts.filter((part) => part !== "").flatMap(wrapped),
    "",
  ].join("\n");

const lineWidth = 78;

/** The lines of a part, none longer than roff likes it; terms and examples stay as they are. */
function wrapped(part: string): readonly string[] {
  const lines = part.split("\n");
  let asTyped = false;
  return lines.flatMap((line, at) => {
    if (line === ".nf" || line === ".fi") asTyped = line === ".nf";
    return asTyped || line.startsWith(".") || lines[at - 1] === ".TP" ? [line] : wrap(line);
  });
}

function wrap(line: string): readonly string[] {
  const made: string[] = [];
  for (const word of line.split(" ")) {
    const last = made.at(-1);
    if (last !== undefined && last.length + word.length < lineWidth)
      made[made.length - 1] = `${last} ${word}`;
    else made.push(/^[.']/.test(word) ? `\\&${word}` : word);
  }
  return made;
}

/** A section with a heading, or nothing when it would be empty. Each entry is a paragraph or a list. */
export const section = (heading: string, ...body: readonly string[]): string =>
  body.some((text) => text !== "") ? [`.SH ${heading}`, ...paragraphs(body)].join("\n") : "";

/** A part of a section; the heading is roff already. */
export const subsection = (heading: string, ...body: readonly string[]): string =>
  [`.SS ${heading}`, ...paragraphs(body)].join("\n");

/** Paragraphs are set apart, but for what a list or an example sets apart by itself. */
const paragraphs = (body: readonly string[]): readonly string[] =>
  body
    .filter((text) => text !== "")
    .flatMap((text, index) => (index === 0 || text.startsWith(".") ? [text] : [".PP", text]));

/** Terms and what they mean, both roff already. */
export const list = (entries: readonly (readonly [term: string, meaning: string])[]): string =>
  entries.map(([term, meaning]) => `.TP\n${term}\n${meaning}`).join("\n");

/** Command lines as they are typed, each under a line that says what it does. */
export const examples = (shown: readonly { readonly text: string; readonly command: string }[]): string =>
  shown.map(({ text, command }) => `${plain(text)}:\n${typed([command])}`).join("\n.PP\n");

/** Lines that are typed as they stand. */
export const typed = (lines: readonly string[]): string =>
  [".PP", ".RS 4", ".nf", ...lines.map(literal), ".fi", ".RE"].join("\n");
