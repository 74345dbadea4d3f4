/** What stands on the left of a line of help, and what is said of it. */
export type Row = readonly [left: string, right: string];

/** Columns of text that a line of help takes at most. */
const lineWidth = 100;
const widestLeft = 36;

/** A title and its rows, the texts under each other; nothing without rows. */
export function section(title: string, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return [];
  const left = Math.min(widestLeft, Math.max(...rows.map(([text]) => text.length)));
  return [`${title}:`, ...rows.flatMap((row) => drawRow(row, left))];
}

function drawRow([left, right]: Row, width: number): readonly string[] {
  const [first = "", ...rest] = wrap(right, lineWidth - width - 4);
  const indent = " ".repeat(width + 4);
  const fits = left.length <= width;
  const head = fits ? [`  ${left.padEnd(width)}  ${first}`] : [`  ${left}`, `${indent}${first}`];
  return [...head, ...rest.map((line) => indent + line)];
}

/** Lines of at most so many columns. */
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
export function listing(title: string, texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  const lines = texts.flatMap((text) =>
    wrap(text, lineWidth - 4).map((line, at) => `${at === 0 ? "  " : "    "}${line}`),
  );
  return [`${title}:`, ...lines];
}
