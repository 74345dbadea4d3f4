import type { HelpLook } from "./look.ts";

/** What stands on the left of a line of help, and what is said of it. */
export type Row = readonly [left: string, right: string];

/** The left takes no more than so many columns, nor more than two fifths of the line. */
const widestLeft = 36;

/** A title over lines; nothing without lines. */
export const titled = (title: string, lines: readonly string[], { bold }: HelpLook): readonly string[] =>
  lines.length === 0 ? [] : [bold(`${title}:`), ...lines];

/** A title and its rows, the texts under each other; nothing without rows. */
export const section = (title: string, rows: readonly Row[], look: HelpLook): readonly string[] =>
  titled(title, drawRows(rows, look), look);

/** Rows as lines, indented, the texts under each other. */
export function drawRows(rows: readonly Row[], { width }: HelpLook): readonly string[] {
  const most = Math.min(widestLeft, Math.floor(width * 0.4));
  const left = Math.min(most, Math.max(...rows.map(([text]) => text.length)));
  return rows.flatMap((row) => drawRow(row, left, width));
}

function drawRow([left, right]: Row, wide: number, width: number): readonly string[] {
  const [first = "", ...rest] = wrap(right, width - wide - 4);
  const indent = " ".repeat(wide + 4);
  const fits = left.length <= wide;
  const head = fits ? [`  ${left.padEnd(wide)}  ${first}`] : [`  ${left}`, `${indent}${first}`];
  return [...head, ...rest.map((line) => indent + line)];
}

/** Lines of at most so many columns; a longer word has a line of its own. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Parts with a blank line between, the first of them the usage. */
export const page = (...parts: readonly (readonly string[])[]): string =>
  `${parts
    .filter((part) => part.length > 0)
    .map((part, index) => (index === 0 ? `Usage: ${part.join("\n\n")}` : part.join("\n")))
    .join("\n\n")}\n`;

/** A title and texts under it, wrapped; nothing without texts. */
export const listing = (title: string, texts: readonly string[], look: HelpLook): readonly string[] =>
  titled(
    title,
    texts.flatMap((text) =>
      wrap(text, look.width - 4).map((line, at) => `${at === 0 ? "  " : "    "}${line}`),
    ),
    look,
  );

/** A text in lines; lines that are indented are typed as they stand. */
export const paragraph = (text: string, { width }: HelpLook): string =>
  text
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [line] : wrap(line, width)))
    .join("\n");
