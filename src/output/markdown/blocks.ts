import type { MarkedToken, Token, Tokens } from "marked";
import { Lexer } from "marked";
import type { Highlight } from "./highlight.ts";
import { maxHeld, type Styles, settled, spansOf } from "./inline.ts";
import { tableLines } from "./table.ts";
import { type Line, wrapped } from "./wrap.ts";

/**
 * A drawn line. `code` is a line of code or a fence. It is already colored, and it is never indented, so that the user
 * can copy the code.
 */
export type Drawn = { readonly line: Line } | { readonly code: string };

export interface Drawing {
  readonly width: number;
  readonly styles: Styles;
  readonly highlight: Highlight;
}

/** The part of a block that is drawn. */
export interface Block {
  readonly lines: readonly Drawn[];
  /** Whether text may be added to the last line. */
  readonly isOpen: boolean;
}

const closed = (lines: readonly Drawn[]): Block => ({ lines, isOpen: false });
const text = (lines: readonly Line[]): readonly Drawn[] => lines.map((line) => ({ line }));

/** Draws a block. If `open`, more text may follow, and only lines that this text cannot change are drawn. */
export function drawBlock(token: Token, drawing: Drawing, open: boolean): Block {
  const { width, styles } = drawing;
  const block = token as MarkedToken;
  switch (block.type) {
    case "paragraph":
    case "text":
      return drawParagraph(block, drawing, open);
    case "heading": {
      // Text that follows may extend the heading, or turn it into part of a paragraph.
      if (open) return closed([]);
      const spans = spansOf(block.tokens, styles, styles.heading(block.depth));
      if (styles.color) return closed(text(wrapped(spans, width)));
      if (/^ *#/.test(block.raw))
        return closed(text(wrapped([{ text: `${"#".repeat(block.depth)} ` }, ...spans], width)));
      // The words of this heading may already have been drawn as a paragraph, so the heading gets no prefix. Its
      // underline follows.
      const underline = block.raw.trimEnd().split("\n").at(-1) ?? "";
      return closed(text([...wrapped(spans, width), [{ text: underline.trim() }]]));
    }
    case "code":
      return closed(codeLines(block, drawing, open));
    case "list":
      return drawList(block, drawing, open);
    case "blockquote": {
      const inner = drawBlocks(block.tokens, { ...drawing, width: Math.max(10, width - 2) }, open);
      const bar = { text: "│ ", paint: styles.dim };
      return { ...inner, lines: inner.lines.map((drawn) => prefixed(drawn, [bar])) };
    }
    case "table":
      return closed(open ? [] : text(tableLines(block, width, styles)));
    case "hr":
      return closed(open ? [] : text([[{ text: "─".repeat(width), paint: styles.dim }]]));
    case "space":
      return closed([]);
    case "def":
      // Its words may already have been drawn as a paragraph.
      return closed(open ? [] : text(wrapped([{ text: block.raw.trim() }], width)));
    default:
      return closed(open ? [] : text(rawLines(block.raw)));
  }
}

const rawLines = (raw: string): readonly Line[] =>
  raw
    .trimEnd()
    .split("\n")
    .map((line) => [{ text: line }]);

/** Draws blocks one below the other, with one blank line between two of them if the source has blank lines there. */
function drawBlocks(tokens: readonly Token[], drawing: Drawing, open: boolean): Block {
  const blocks = tokens.filter(({ type }) => type !== "space");
  // Text that follows may make a tag or a link definition part of the text before it.
  const isPending = open && blocks.length > 1 && ["html", "def"].includes(blocks.at(-1)?.type ?? "");
  if (isPending) blocks.pop();
  const lines: Drawn[] = [];
  let isOpen = false;
  let source = "";
  for (const token of tokens) {
    if (token.type === "space") source += token.raw;
    else {
      const isLast = token === blocks.at(-1);
      const block = drawBlock(token, drawing, open && isLast);
      if (lines.length > 0 && block.lines.length > 0 && endsInBlankLine(source)) lines.push({ line: [] });
      for (const line of block.lines) lines.push(line);
      isOpen = block.isOpen;
      source += token.raw;
      if (isLast) break;
    }
  }
  return { lines, isOpen };
}

export const endsInBlankLine = (source: string): boolean => /\n[ \t]*\n\s*$/.test(source);

function drawParagraph(
  { text: source, tokens }: Tokens.Paragraph | Tokens.Text,
  { width, styles }: Drawing,
  open: boolean,
): Block {
  if (!open) return closed(text(wrapped(spansOf(tokens ?? Lexer.lexInline(source), styles), width)));
  const part = settled(source.slice(0, headerStart(source) ?? source.length));
  if (part.trim() === "") return closed([]);
  return { lines: text(wrapped(spansOf(Lexer.lexInline(part), styles), width)), isOpen: true };
}

/** The start of the last line, if this line may become the header of a table. */
function headerStart(source: string): number | undefined {
  const start = source.lastIndexOf("\n") + 1;
  const bar = source.indexOf("|", start);
  if (bar < 0) return undefined;
  const startsWithBar = source.slice(start, bar).trim() === "";
  return startsWithBar || source.length - bar <= maxHeld ? start : undefined;
}

const isCheckbox = ({ type }: { readonly type: string }): boolean => type === "checkbox";

function drawList({ items, ordered, start }: Tokens.List, drawing: Drawing, open: boolean): Block {
  const { width, styles } = drawing;
  const lines: Drawn[] = [];
  let isOpen = false;
  for (const [at, item] of items.entries()) {
    const bullet = ordered ? `${(start === "" ? 1 : start) + at}. ` : "• ";
    // In an item of paragraphs, the box is a part of the first paragraph.
    const hasBox = item.tokens.some(isCheckbox);
    const box = hasBox ? (item.checked ? "[x] " : "[ ] ") : "";
    const indent = " ".repeat(bullet.length);
    const isLast = at === items.length - 1;
    const inner = drawBlocks(
      item.tokens.filter((token) => !isCheckbox(token)),
      { ...drawing, width: Math.max(10, width - bullet.length) },
      open && isLast,
    );
    const marks: Line = [{ text: bullet, paint: styles.dim }, ...(box ? [{ text: box }] : [])];
    if (inner.lines.length === 0 && open && isLast) return { lines, isOpen: false };
    if (at > 0 && endsInBlankLine(items[at - 1]?.raw ?? "")) lines.push({ line: [] });
    const [first = { line: [] }, ...others] = inner.lines;
    if ("code" in first) lines.push({ line: marks }, first);
    else lines.push(prefixed(first, marks));
    for (const drawn of others) lines.push(prefixed(drawn, [{ text: indent }]));
    isOpen = inner.isOpen;
  }
  return { lines, isOpen };
}

const prefixed = (drawn: Drawn, prefix: Line): Drawn => {
  if ("code" in drawn) return drawn;
  const isBlank = drawn.line.length === 0 && prefix.every(({ text }) => text.trim() === "");
  return isBlank ? drawn : { ...drawn, line: [...prefix, ...drawn.line] };
};

/** Draws code between its fences. If the code is open, draws only lines that have ended. */
function codeLines(
  { text: code, lang = "", raw, codeBlockStyle }: Tokens.Code,
  { styles, highlight }: Drawing,
  open: boolean,
): readonly Drawn[] {
  const colored = (lines: readonly string[], language: string): readonly Drawn[] => {
    const whole = lines.join("\n");
    const shown = (styles.color && highlight(whole, language)) || whole;
    return lines.length === 0 ? [] : shown.split("\n").map((line) => ({ code: line }));
  };
  if (codeBlockStyle === "indented") return open ? [] : colored(code.split("\n"), "");
  const { fence, lines, isClosed } = fencedCode(raw);
  const marks = (mark: string): Drawn => ({ code: styles.dim(mark) });
  const language = /^[\w+#.-]*/.exec(lang)?.[0].toLowerCase() ?? "";
  return [
    marks(`${fence}${lang}`),
    ...colored(isClosed || (!open && lines.at(-1) !== "") ? lines : lines.slice(0, -1), language),
    ...(open && !isClosed ? [] : [marks(fence)]),
  ];
}

/**
 * The lines between fences. If the block is not closed, its last line may be unfinished. That line is empty if the
 * source ends in a newline.
 */
export function fencedCode(raw: string): {
  readonly fence: string;
  readonly lines: readonly string[];
  readonly isClosed: boolean;
} {
  const [first = "", ...rest] = raw.split("\n");
  const [, indent = "", fence = "```"] = /^( *)(`{3,}|~{3,})/.exec(first) ?? [];
  // The parser uses the same pattern. A fence that is indented further is part of the code.
  const closing = new RegExp(`^ {0,3}${fence}[~\`]* *$`);
  const end = rest.findIndex((line) => closing.test(line));
  const lines = end < 0 ? rest : rest.slice(0, end);
  const margin = new RegExp(`^ {0,${indent.length}}`);
  return { fence, lines: lines.map((line) => line.replace(margin, "")), isClosed: end >= 0 };
}
