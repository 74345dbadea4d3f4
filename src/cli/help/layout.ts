import { wrap } from "../../core/text.ts";
import type { Sink, System } from "../../system/types.ts";

/** How help is laid out. */
export interface HelpStyle {
  /** Columns in a line. */
  readonly width: number;
  /** Makes a title bold where the terminal can show it. */
  readonly bold: (text: string) => string;
}

/** Line widths: the width in a pipe, and the minimum and maximum on a terminal. */
const [defaultWidth, minWidth, maxWidth] = [80, 40, 100];

/** On a terminal, help fits the width of the terminal, and titles are bold unless the environment disables colors. */
export async function helpStyle(
  { isTTY, columns }: Pick<Sink, "isTTY" | "columns">,
  env: System["env"],
): Promise<HelpStyle> {
  const isBold = isTTY && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    width: isTTY ? Math.min(maxWidth, Math.max(minWidth, columns || defaultWidth)) : defaultWidth,
    bold: isBold ? new (await import("chalk")).Chalk({ level: 1 }).bold : (text) => text,
  };
}

/** A term and its description. */
export type Row = readonly [left: string, right: string];

/** Maximum width of the left column, which also takes at most 40% of the line. */
const maxLeft = 36;

/** A title above lines; empty if there are no lines. */
export const titled = (title: string, lines: readonly string[], { bold }: HelpStyle): readonly string[] =>
  lines.length === 0 ? [] : [bold(`${title}:`), ...lines];

/** A title above rows; empty if there are no rows. */
export const section = (title: string, rows: readonly Row[], style: HelpStyle): readonly string[] =>
  titled(title, drawRows(rows, style), style);

/** Rows as indented lines with aligned descriptions. */
export function drawRows(rows: readonly Row[], { width }: HelpStyle): readonly string[] {
  const maxWidth = Math.min(maxLeft, Math.floor(width * 0.4));
  const leftWidth = Math.min(maxWidth, Math.max(0, ...rows.map(([left]) => left.length)));
  const indent = " ".repeat(leftWidth + 4);
  return rows.flatMap(([left, right]) => {
    const [first = "", ...rest] = wrap(right, width - indent.length);
    const head =
      left.length <= leftWidth ? [`  ${left.padEnd(leftWidth)}  ${first}`] : [`  ${left}`, indent + first];
    return [...head, ...rest.map((line) => indent + line)];
  });
}

/** Parts separated by blank lines; the first is the usage. */
export const page = (...parts: readonly (readonly string[])[]): string =>
  `${parts
    .filter((part) => part.length > 0)
    .map((part, index) => (index === 0 ? `Usage: ${part.join("\n\n")}` : part.join("\n")))
    .join("\n\n")}\n`;

/** Texts as indented lines. Continuation lines are indented further. */
export const drawTexts = (texts: readonly string[], { width }: HelpStyle): readonly string[] =>
  texts.flatMap((text) => wrap(text, width - 4).map((line, at) => `${at === 0 ? "  " : "    "}${line}`));

/** Wraps a text; indented lines are code and stay unchanged. */
export const paragraph = (text: string, { width }: HelpStyle): string =>
  text
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [line] : wrap(line, width)))
    .join("\n");
