import type { HelpLook } from "./look.ts";

/** A term and its description. */
export type Row = readonly [left: string, right: string];

/** Columns of the left side at most; it also takes at most two fifths of the line. */
const maxLeft = 36;

/** A title over lines; empty without lines. */
export const titled = (title: string, lines: readonly string[], { bold }: HelpLook): readonly string[] =>
  lines.length === 0 ? [] : [bold(`${title}:`), ...lines];

/** A title over rows; empty without rows. */
export const section = (title: string, rows: readonly Row[], look: HelpLook): readonly string[] =>
  titled(title, drawRows(rows, look), look);

/** Rows as indented lines, their descriptions aligned. */
export function drawRows(rows: readonly Row[], { width }: HelpLook): readonly string[] {
  const most = Math.min(maxLeft, Math.floor(width * 0.4));
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

/** Lines of at most `width` columns; a longer word gets a line of its own. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Parts separated by blank lines; the first is the usage. */
export const page = (...parts: readonly (readonly string[])[]): string =>
  `${parts
    .filter((part) => part.length > 0)
    .map((part, index) => (index === 0 ? `Usage: ${part.join("\n\n")}` : part.join("\n")))
    .join("\n\n")}\n`;

/** A title over wrapped texts; empty without texts. */
export const listing = (title: string, texts: readonly string[], look: HelpLook): readonly string[] =>
  titled(
    title,
    texts.flatMap((text) =>
      wrap(text, look.width - 4).map((line, at) => `${at === 0 ? "  " : "    "}${line}`),
    ),
    look,
  );

/** Wraps a text; indented lines are code and stay unchanged. */
export const paragraph = (text: string, { width }: HelpLook): string =>
  text
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [line] : wrap(line, width)))
    .join("\n");
